import { EXIT, LuminaError } from "../../base/mod.ts";
import { type ProviderScript, providerScript } from "./script_schema.ts";
import { variablesIn } from "./fill_variables.ts";

/**
 * Reads a script. Throws `model.script_invalid` (exit 2) that names the place of the first fault: an unknown key, a
 * wrong value, a variable that nothing sets.
 */
export function parseScript(value: unknown): ProviderScript {
  const parsed = providerScript.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const place = (issue?.path ?? []).map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`)
      .join("").replace(/^\./, "");
    throw invalid(`${place === "" ? "the script" : place}: ${issue?.message ?? "not valid"}`);
  }
  const script = parsed.data;
  const known = new Set(Object.keys(script.vars));
  for (const turn of script.turns) for (const name of Object.keys(turn.capture)) known.add(name);
  script.turns.forEach((turn, index) => {
    for (const pattern of Object.values(turn.capture)) {
      try {
        new RegExp(pattern);
      } catch (error) {
        throw invalid(`turns[${index}].capture: not a regular expression: ${pattern}`, error);
      }
    }
    for (const name of variablesIn(turn)) {
      if (!known.has(name)) throw invalid(`turns[${index}]: nothing sets the variable {{${name}}}`);
    }
  });
  return script;
}

function invalid(what: string, cause?: unknown): LuminaError {
  return new LuminaError("model.script_invalid", `Cannot use the provider script: ${what}`, {
    exit: EXIT.usage,
    cause,
  });
}
