import { join, resolve } from "node:path";
import type { ImportEntry } from "../../../cli/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { Json, JsonObject, PermissionMode } from "../../../types/mod.ts";
import { brokenFile } from "./json_rule_file.ts";

/** Where a `config.toml` stands. */
export interface CodexPlace {
  file: string;
  /** Where relative folders start. */
  base_dir: string;
  home: string;
}

/**
 * Translates approval and sandbox settings of a `config.toml` of Codex (developers.openai.com/codex/config-reference). They
 * are no rules: together they come near a mode. Throws `permission.import` with file and line for what is no TOML.
 */
export async function translateCodexConfig(text: string, place: CodexPlace): Promise<ImportEntry[]> {
  const value = await readToml(text, place.file);
  const profile = typeof value["profile"] === "string" ? value["profile"] : undefined;
  const profiles = isJsonObject(value["profiles"]) ? value["profiles"] : {};
  const chosen = profile === undefined ? undefined : profiles[profile];
  const over = isJsonObject(chosen) ? chosen : {};
  const approval = over["approval_policy"] ?? value["approval_policy"];
  const sandbox = over["sandbox_mode"] ?? value["sandbox_mode"];
  const line = (key: string) => lineOf(text, key);
  const entries: ImportEntry[] = [];
  if (approval !== undefined || sandbox !== undefined) {
    const source = [
      ...(approval === undefined ? [] : [`approval_policy = ${JSON.stringify(approval)}`]),
      ...(sandbox === undefined ? [] : [`sandbox_mode = ${JSON.stringify(sandbox)}`]),
    ].join(", ");
    const at = line(approval === undefined ? "sandbox_mode" : "approval_policy");
    entries.push({ source, ...at, outcome: "mode", rules: [], ...nearestMode(approval, sandbox) });
  }
  for (const [key, each] of Object.entries(value)) {
    if (key === "approval_policy" || key === "sandbox_mode") continue;
    if (key === "sandbox_workspace_write" && isJsonObject(each)) {
      for (const [name, setting] of Object.entries(each)) {
        entries.push({ ...sandboxSetting(name, setting, place), ...line(name) });
      }
    } else if (key === "projects" && isJsonObject(each)) {
      for (const [folder, project] of Object.entries(each)) {
        entries.push({ ...trustOf(folder, project), ...line(folder) });
      }
    } else if (key === "profiles") {
      for (const name of Object.keys(profiles)) {
        const note = name === profile
          ? "it is the chosen one: its values are above"
          : "it is not the chosen profile";
        entries.push({
          source: `profiles.${name}`,
          ...line(`profiles.${name}`),
          outcome: "not taken",
          rules: [],
          note,
        });
      }
    } else if (key === "permissions" || key === "default_permissions") {
      const note =
        "profiles of permissions are no rules on calls: folders that must not be read need deny rules such as " +
        "Read(~/dir/**), and folders to work in are --add-dir";
      entries.push({ source: key, ...line(key), outcome: "not taken", rules: [], note });
    } else {
      const note = key === "profile"
        ? "its values are used above"
        : "it is no permission rule that is known here; left alone";
      entries.push({
        source: key,
        ...line(key),
        outcome: key === "profile" ? "same" : "unknown",
        rules: [],
        note,
      });
    }
  }
  return entries;
}

async function readToml(text: string, file: string): Promise<JsonObject> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    // dates and the like become texts
    return JSON.parse(JSON.stringify(parse(text.replace(/^\ufeff/, ""))));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const fault = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
    throw brokenFile(file, error.line, `the TOML cannot be read: ${fault}`);
  }
}

/** The mode that comes nearest and is not looser. */
function nearestMode(
  approval: Json | undefined,
  sandbox: Json | undefined,
): { mode: PermissionMode; note: string } {
  if (sandbox === "read-only") {
    return { mode: "plan", note: "mode plan writes nothing; what it does not run it refuses" };
  }
  if (approval === "untrusted" || isJsonObject(approval)) {
    return { mode: "ask", note: "mode ask asks before everything but commands that are known to read" };
  }
  if (sandbox === "danger-full-access") {
    return approval === "never"
      ? { mode: "yolo", note: "mode yolo asks nothing; deny rules hold" }
      : { mode: "ask", note: "there the model chooses when to ask; here mode ask always does" };
  }
  if (sandbox === "workspace-write" || sandbox === undefined) {
    return {
      mode: "auto",
      note: "mode auto runs commands in the sandbox without network and asks for the rest" +
        (approval === "never" ? "; without a person to answer it refuses that" : ""),
    };
  }
  return { mode: "ask", note: `${JSON.stringify(sandbox)} is not known here` };
}

function sandboxSetting(name: string, value: Json | undefined, { base_dir, home }: CodexPlace): ImportEntry {
  const entry = { source: `sandbox_workspace_write.${name} = ${JSON.stringify(value ?? null)}`, rules: [] };
  if (name === "writable_roots" && Array.isArray(value) && value.every((root) => typeof root === "string")) {
    const directories = value.map((root) =>
      root.startsWith("~/") ? join(home, root.slice(1)) : resolve(base_dir, root)
    );
    return {
      ...entry,
      outcome: "same",
      directories,
      note: "these folders would count as workspace: read and written as it",
    };
  }
  if (name === "network_access" && typeof value === "boolean") {
    return value
      ? {
        ...entry,
        outcome: "stricter",
        note:
          "commands in the sandbox reach the hosts of the setting sandbox.allowed_domains alone, others ask",
      }
      : { ...entry, outcome: "same", note: "mode auto gives commands no network" };
  }
  if ((name === "exclude_slash_tmp" || name === "exclude_tmpdir_env_var") && typeof value === "boolean") {
    return { ...entry, outcome: "same", note: "a sandboxed command has a temporary folder of its own" };
  }
  return { ...entry, outcome: "unknown", note: "nothing here knows this key or this value" };
}

function trustOf(folder: string, project: Json | undefined): ImportEntry {
  const level = isJsonObject(project) ? project["trust_level"] : undefined;
  const note = level === "trusted"
    ? `trust is given to what was looked at: lumina trust --cwd ${folder}`
    : "what a project brings is used only when it is trusted";
  return {
    source: `projects.${JSON.stringify(folder)} trust_level = ${JSON.stringify(level ?? null)}`,
    outcome: level === "trusted" || level === "untrusted" ? "not taken" : "unknown",
    rules: [],
    note,
  };
}

/** The first line that sets a key or opens its section. */
function lineOf(text: string, key: string): { line?: number } {
  const name = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const open = new RegExp(`^\\s*(?:\\[+[^\\]]*?["']?${name}["']?[^\\]]*\\]+|["']?${name}["']?\\s*[=.])`);
  const index = text.split("\n").findIndex((each) => open.test(each));
  return index === -1 ? {} : { line: index + 1 };
}
