import { isJsonObject } from "../../types/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServicePack, ServicePorts } from "./service_port.ts";

/**
 * A pack's section of the settings (`plugins.<id>`) with the defaults of its schema, checked. A pack without a schema has
 * none. Throws `failed` with what is wrong, for the person who wrote it.
 */
export function packConfig(
  { id, manifest }: ServicePack,
  ports: Pick<ServicePorts, "config" | "check">,
): JsonObject {
  const schema = manifest.config;
  if (schema === undefined) return {};
  const section = { ...defaults(schema), ...structuredClone(ports.config(id) ?? {}) };
  const problems = ports.check(schema, section);
  if (problems.length === 0) return section;
  throw serviceFailure("failed", `The setting plugins.${id} does not fit: ${problems.join("; ")}`);
}

function defaults(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, property]) =>
      isJsonObject(property) && property["default"] !== undefined
        ? [[key, structuredClone(property["default"])]]
        : []
    ),
  );
}
