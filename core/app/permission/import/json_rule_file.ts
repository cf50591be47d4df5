import type { ParseError } from "jsonc-parser";
import { EXIT, LuminaError } from "../../../base/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";

/** A JSON file of another agent, comments allowed. */
export interface JsonRuleFile {
  value: JsonObject;
  /** The line, from 1, of the value at a path, or of the nearest part of the path that is there. */
  line(path: readonly (string | number)[]): number;
}

/** Reads it. Throws `permission.import` with file and line for what is no JSON object. */
export async function readJsonRules(text: string, file: string): Promise<JsonRuleFile> {
  const jsonc = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const root = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  const lineAt = (offset: number) => text.slice(0, offset).split(/\r\n|\r|\n/).length;
  const [first] = errors;
  if (first !== undefined) {
    const fault = jsonc.printParseErrorCode(first.error).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
    throw brokenFile(file, lineAt(first.offset), `the JSON cannot be read: ${fault}`);
  }
  const value: unknown = root === undefined ? undefined : jsonc.getNodeValue(root);
  if (root === undefined || !isJsonObject(value)) throw brokenFile(file, 1, "it is no JSON object { … }");
  return {
    value,
    line(path) {
      for (let length = path.length; length > 0; length--) {
        const node = jsonc.findNodeAtLocation(root, path.slice(0, length));
        if (node !== undefined) {
          return lineAt(node.parent?.type === "property" ? node.parent.offset : node.offset);
        }
      }
      return 1;
    },
  };
}

/** The error about a rule file that cannot be read. */
export function brokenFile(file: string, line: number, fault: string): LuminaError {
  return new LuminaError("permission.import", `${file}:${line}: ${fault}`, { exit: EXIT.failed });
}
