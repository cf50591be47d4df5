import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/**
 * Checks values against JSON Schema 2020-12 (`format` is annotation only). The validator library is loaded at the
 * first use, each schema is compiled once.
 */
export class SchemaValidator {
  #ajv: Promise<Ajv2020> | undefined;
  #inputs = new WeakMap<JsonObject, ValidateFunction>();

  /**
   * Checks a tool's input. Numbers and booleans that came as text, as models often quote them, are converted in
   * place; nothing else is. Returns what is wrong, one line per problem; empty when it fits.
   */
  async checkInput(schema: JsonObject, input: JsonObject): Promise<string[]> {
    let validate = this.#inputs.get(schema);
    if (validate === undefined) {
      validate = (await this.#load()).compile(schema);
      this.#inputs.set(schema, validate);
    }
    if (validate(input)) return [];
    unquote(schema, input);
    return validate(input) ? [] : problems(validate);
  }

  /** Compiles a schema for answers; throws `schema.invalid` (exit 2) when it is not a JSON Schema. */
  async compile(schema: JsonObject): Promise<(value: unknown) => string[]> {
    let validate: ValidateFunction;
    try {
      validate = (await this.#load()).compile(schema);
    } catch (error) {
      throw new LuminaError("schema.invalid", `The JSON Schema is not valid: ${errorMessage(error)}`, {
        exit: EXIT.usage,
        cause: error,
      });
    }
    return (value) => (validate(value) ? [] : problems(validate));
  }

  #load(): Promise<Ajv2020> {
    return this.#ajv ??= import("./schema_library.ts").then(({ Ajv2020 }) =>
      new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    );
  }
}

/** Turns texts into the numbers and booleans that the schema's own properties ask for, where they read as such. */
function unquote(schema: JsonObject, input: JsonObject): void {
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return;
  for (const [key, property] of Object.entries(properties)) {
    const value = input[key];
    if (typeof value !== "string" || !isJsonObject(property)) continue;
    const type = property["type"];
    const numeric = type === "number" || type === "integer";
    if (numeric && /^-?\d+(\.\d+)?$/.test(value.trim())) input[key] = Number(value);
    else if (type === "boolean" && /^(true|false)$/.test(value.trim())) input[key] = value.trim() === "true";
  }
}

function problems(validate: ValidateFunction): string[] {
  return (validate.errors ?? []).map((error) => {
    const where = error.instancePath === "" ? "" : `${error.instancePath.slice(1).replaceAll("/", ".")} `;
    const values = error.params as { additionalProperty?: string; allowedValues?: unknown[] };
    if (error.keyword === "additionalProperties") return `${where}unknown key "${values.additionalProperty}"`;
    if (error.keyword === "enum") return `${where}must be one of ${JSON.stringify(values.allowedValues)}`;
    return `${where}${error.message ?? error.keyword}`;
  });
}
