import * as z from "zod";
import type { JsonObject } from "../types/mod.ts";
import { needsTrust } from "./project_settings.ts";
import { SETTING_NAMES, settingKey, type SettingName, settingVariables } from "./setting_keys.ts";

/** The zod schema of a whole settings file. Unknown keys pass: a newer Lumina's file still loads. */
export function settingsSchema(): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const name of SETTING_NAMES) {
    const definition = settingKey(name);
    const schema = definition.schema().optional();
    const value = definition.default;
    shape[name] = schema.meta({
      description: definition.description,
      ...(value === undefined ? {} : { default: defaultOf(name) }),
    });
  }
  return z.looseObject(shape);
}

/** JSON Schema of `settings.json`, for editors. */
export function settingsJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(settingsSchema(), { io: "input", reused: "inline" });
  const text = JSON.stringify({ ...schema, title: "Lumina settings" });
  const value: JsonObject = JSON.parse(text);
  return value;
}

/** The table of all settings in Markdown, in the order of the schema. */
export function settingsDocs(): string {
  const lines = [
    "| Key | Must be | Default | Variables, strongest first | Flag | Project file | Meaning |",
    "| --- | --- | --- | --- | --- | --- | --- |",
  ];
  for (const name of SETTING_NAMES) {
    const definition = settingKey(name);
    const value = defaultOf(name);
    lines.push(
      "| " + [
        `\`${name}\``,
        definition.must,
        value === undefined ? "not set" : `\`${JSON.stringify(value)}\``,
        settingVariables(name).map((variable) => `\`${variable}\``).join(", "),
        definition.flag === undefined ? "" : `\`${definition.flag}\``,
        projectWords(name),
        definition.description,
      ].map((cell) => cell.replaceAll("|", "\\|")).join(" | ") + " |",
    );
  }
  return lines.join("\n") + "\n";
}

function defaultOf(name: SettingName): unknown {
  return name === "permissions" ? { allow: [], ask: [], deny: [] } : settingKey(name).default;
}

function projectWords(name: SettingName): string {
  if (name === "permissions") return "adds `deny` and `ask`";
  const words = { no: "ignored", replace: "may set", add: "may add" }[settingKey(name).project];
  return needsTrust(name) ? `${words}, once trusted` : words;
}
