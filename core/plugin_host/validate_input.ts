import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { LuminaError } from "../base/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/**
 * Checks values against JSON Schema 2020-12 (`format` is annotation only). The validator library is loaded at the
 * first use, each schema is compiled once.
 */
export class SchemaValidator {
  #ajv: Promise<{ strict: Ajv2020; lenient: Ajv2020 }> | undefined;
  #inputs = new WeakMap<JsonObject, ValidateFunction>();

  /**
   * Checks a tool's input: numbers and booleans given as strings are converted in place, as models often quote
   * them. Returns what is wrong, one line per problem; empty when it fits.
   */
  async checkInput(schema: JsonObject, input: JsonObject): Promise<string[]> {
    let validate = this.#inputs.get(schema);
    if (validate === undefined) {
      const { lenient } = await this.#load();
      validate = lenient.compile(schema);
      this.#inputs.set(schema, validate);
    }
    return validate(input) ? [] : problems(validate);
  }

  /** Compiles a schema for answers; throws `schema.invalid` when it is not a JSON Schema. */
  async compile(schema: JsonObject): Promise<(value: unknown) => string[]> {
    const { strict } = await this.#load();
    let validate: ValidateFunction;
    try {
      validate = strict.compile(schema);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new LuminaError("schema.invalid", `The JSON Schema is not valid: ${message}`, { exit: 2 });
    }
    return (value) => (validate(value) ? [] : problems(validate));
  }

  #load(): Promise<{ strict: Ajv2020; lenient: Ajv2020 }> {
    return this.#ajv ??= import("ajv/dist/2020.js").then(({ Ajv2020 }) => {
      const options = { strict: false, validateFormats: false, allErrors: true } as const;
      return { strict: new Ajv2020(options), lenient: new Ajv2020({ ...options, coerceTypes: true }) };
    });
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
