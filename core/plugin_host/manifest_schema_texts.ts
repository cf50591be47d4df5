import * as z from "zod";

/** Text for people on one line. */
export function shortText(most: number): z.ZodType<string> {
  return z.string().min(1).max(most).regex(/^[^\p{Cc}\u2028\u2029]*$/u, "must be one line of text");
}

/** A path inside the plugin's folder: relative, with `/`, no part `.` or `..`. */
export function packPath(): z.ZodType<string> {
  return z.string().max(400).regex(
    /^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\:\p{Cc}]+$/u,
    "must be a path inside the plugin's folder, with /",
  );
}

/** The name of an export of the plugin's module. */
export function handlerName(): z.ZodType<string> {
  return z.string().regex(/^[A-Za-z_$][\w$]{0,63}$/, "must be the name of an export of the plugin's module");
}

/** A name of letters, digits, `_` and `-`. */
export function plainName(): z.ZodType<string> {
  return z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be letters, digits, _ and -, at most 64");
}
