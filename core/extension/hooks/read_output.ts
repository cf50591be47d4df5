import { isJsonObject } from "../../types/mod.ts";
import type { HookReply, Json } from "../../types/mod.ts";

/** How a hook's process ended. */
export interface HookExit {
  /** Its exit code; null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** It printed more than is kept. */
  overflow: boolean;
}

/** Characters of an error text that a message repeats. */
const SHOWN = 500;

/**
 * What a command said: exit code 2 blocks with its error text, whatever it printed beside; 0 is a JSON object when the
 * first character is `{`, else text; every other code is an error that decides nothing.
 */
export function readExit({ code, stdout, stderr, overflow }: HookExit): HookReply {
  if (code === 2) {
    const reason = stderr.trim();
    return { kind: "block", reason: reason === "" ? "it gave no reason" : reason };
  }
  if (code !== 0) {
    const said = shortened(stderr);
    const how = code === null ? "was ended by a signal" : `ended with exit code ${code}`;
    return { kind: "error", message: `${how}${said === "" ? "" : `: ${said}`}` };
  }
  if (overflow) return { kind: "error", message: "printed more than 1 MiB, which is not read" };
  return readText(stdout);
}

/** A JSON object when the first character is `{`, else text. */
export function readText(output: string): HookReply {
  const text = output.replace(/^\uFEFF/, "").trim();
  if (text === "") return { kind: "none" };
  if (!text.startsWith("{")) return { kind: "text", text };
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "error", message: `printed what begins like JSON and is none: ${shortened(text, 120)}` };
  }
  return isJsonObject(value) ? { kind: "json", value } : { kind: "text", text };
}

function shortened(text: string, most = SHOWN): string {
  const line = text.trim().replace(/\s*[\r\n]+\s*/g, "; ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
