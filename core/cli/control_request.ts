import { parsePermissionMode } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import type { OpenSession } from "./app_port.ts";

/**
 * Carries out a control request of a client, by the names that public SDKs give them: `initialize`, `interrupt`,
 * `set_permission_mode` and `set_model`. Throws what the client is told.
 */
export async function controlRequest(
  request: JsonObject,
  session: OpenSession,
  interrupt: () => void,
): Promise<Json> {
  switch (request["subtype"]) {
    case "initialize":
      return await initialized(session);
    case "interrupt":
      interrupt();
      return {};
    case "set_permission_mode": {
      const mode = parsePermissionMode(String(request["mode"]));
      if (mode === undefined) {
        throw new Error(`unknown permission mode ${JSON.stringify(request["mode"] ?? null)}`);
      }
      await session.setMode(mode);
      return { mode };
    }
    case "set_model": {
      const model = request["model"];
      if (typeof model !== "string" || model === "") {
        throw new Error('"model" must be a text that is not empty');
      }
      await session.setModel(model);
      return {};
    }
    default:
      throw new Error(`unknown control request ${JSON.stringify(request["subtype"] ?? null)}`);
  }
}

/** What a client may offer a person, as public SDKs read it. */
async function initialized(session: OpenSession): Promise<JsonObject> {
  const { commands, agents, model, output_style, output_styles } = await session.catalogue();
  return {
    session_id: session.session_id,
    commands: commands.map(({ name, description, argument_hint, aliases, source }) => ({
      name,
      description,
      argumentHint: argument_hint,
      aliases,
      source,
    })),
    agents: agents.map(({ name, description }) => ({ name, description })),
    models: model === "" ? [] : [{ value: model, displayName: model, description: "" }],
    output_style,
    available_output_styles: output_styles,
    account: {},
  };
}
