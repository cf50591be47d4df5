import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/**
 * Compiles the JSON Schema 2020-12 of an answer (`format` is annotation only); the check gives one line per problem.
 * Throws `schema.invalid` (exit 2) when it is not a JSON Schema. The compiler is loaded for this alone.
 */
export async function compileAnswerSchema(schema: JsonObject): Promise<(value: unknown) => string[]> {
  const { Ajv2020 } = await import("./schema_library.ts");
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  try {
    const validate = ajv.compile(schema);
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message, keyword }) => {
        const where = instancePath.slice(1).replaceAll("/", ".");
        return `${where === "" ? "" : `${where}: `}${message ?? keyword}`;
      });
  } catch (error) {
    throw new LuminaError("schema.invalid", `The JSON Schema is not valid: ${errorMessage(error)}`, {
      exit: EXIT.usage,
      cause: error,
    });
  }
}
