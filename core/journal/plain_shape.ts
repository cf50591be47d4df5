import type { z } from "zod";

/** True only when the schema accepts the value as it stands; false when the schema itself has to be asked. */
export type PlainShape = (value: unknown) => boolean;

/** What the shapes below read of a schema's definition. */
interface Definition {
  type: string;
  checks?: unknown[];
  format?: string;
  catchall?: unknown;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  options?: z.ZodType[];
  discriminator?: string;
  values?: unknown[];
  entries?: Record<string, unknown>;
  fn?: (value: unknown) => unknown;
}

/**
 * A quick look at a value by the kinds of schema that events are made of, several times as fast as parsing: a reader
 * of a long journal parses only what does not pass. Never says more than the schema: keys that it would strip, kinds
 * and checks that are not known here all give false.
 */
export function plainShape(schema: z.ZodType): PlainShape {
  const definition = schema._zod.def as unknown as Definition;
  if ((definition.checks?.length ?? 0) > 0) return never;
  switch (definition.type) {
    case "string":
      return (value) => typeof value === "string";
    case "number":
      if (definition.format === undefined) return Number.isFinite;
      return definition.format === "safeint" ? Number.isSafeInteger : never;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "literal": {
      const values = definition.values ?? [];
      return (value) => values.includes(value);
    }
    case "enum": {
      const entries = new Set(Object.values(definition.entries ?? {}));
      return (value) => entries.has(value);
    }
    case "nullable": {
      const inner = plainShape(definition.innerType!);
      return (value) => value === null || inner(value);
    }
    case "array": {
      const element = plainShape(definition.element!);
      return (value) => Array.isArray(value) && value.every(element);
    }
    case "union":
      return unionShape(definition);
    case "object":
      return definition.catchall === undefined ? objectShape(definition.shape!) : never;
    case "custom":
      return (value) => definition.fn?.(value) === true;
    default:
      return never;
  }
}

function never(): boolean {
  return false;
}

function unionShape({ discriminator, options = [] }: Definition): PlainShape {
  const shapes = options.map(plainShape);
  if (discriminator === undefined) return (value) => shapes.some((shape) => shape(value));
  const byTag = new Map<unknown, PlainShape>();
  options.forEach((option, index) => {
    const { shape } = option._zod.def as unknown as Definition;
    for (const tag of shape?.[discriminator]?._zod.values ?? []) byTag.set(tag, shapes[index]!);
  });
  return (value) =>
    typeof value === "object" && value !== null &&
    (byTag.get((value as Record<string, unknown>)[discriminator])?.(value) ?? false);
}

function objectShape(fields: Record<string, z.ZodType>): PlainShape {
  const shapes = new Map<string, { check: PlainShape; required: number }>();
  let all = 0;
  for (const [key, field] of Object.entries(fields)) {
    const definition = field._zod.def as unknown as Definition;
    const optional = definition.type === "optional";
    const check = plainShape(optional ? definition.innerType! : field);
    shapes.set(key, { check, required: optional ? 0 : 1 });
    if (!optional) all++;
  }
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    let required = 0;
    for (const key in value) {
      const shape = shapes.get(key);
      if (shape === undefined || !shape.check((value as Record<string, unknown>)[key])) return false;
      required += shape.required;
    }
    return required === all;
  };
}
