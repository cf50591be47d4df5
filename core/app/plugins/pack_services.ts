import { join } from "node:path";
import type { AskPort, BesideUse, CapturePort, GatePort, HookPort } from "../../agent/mod.ts";
import type { World } from "../../base/mod.ts";
import type { LoadedSettings } from "../../config/mod.ts";
import type { ModelOptions, OpenModel } from "../../model/mod.ts";
import type { PackLimits } from "../../plugin_api/mod.ts";
import type { InputValidator } from "../../plugin_host/mod.ts";
import { packServices } from "../../plugin_host/services/mod.ts";
import type { PackServices, ServiceCall, ServicePack } from "../../plugin_host/services/mod.ts";
import type { Session } from "../../session/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { Json, JsonObject, Message, RunEvent } from "../../types/mod.ts";
import { guardedFetch, systemNetwork } from "../net/guarded_fetch.ts";
import { ModelService } from "./model_service.ts";
import { packTasks } from "./pack_tasks.ts";

/** Characters of one line that a pack tells people. */
const LONGEST_LINE = 500;
/** Bytes of the conversation that a pack gets at once; the newest messages win. */
const MOST_CONVERSATION = 1024 * 1024;

export interface PackServiceDeps {
  session: Session;
  world: World;
  loaded: LoadedSettings;
  env: { toObject(): Record<string, string> };
  validator: InputValidator;
  /** Where relative paths start, and everything that belongs to the workspace; links resolved. */
  workspace: string;
  roots: readonly string[];
  home: string;
  /** The folder of the session; artifacts are kept in it. */
  session_dir: string;
  /** A pack's own folder. */
  dataDir(pack: ServicePack): string;
  limits(pack: ServicePack): Pick<PackLimits, "service_requests_per_call" | "frame_bytes">;
  gate: GatePort;
  asker: AskPort;
  /** Absent where the workspace is not captured. */
  capture?: CapturePort;
  /** Absent: there is none. */
  hooks?: HookPort | undefined;
  emit(event: RunEvent): void;
  makeModel(adjust: (options: ModelOptions) => ModelOptions): Promise<OpenModel>;
  /** What the session's model gives in one answer, tokens. */
  max_output: number;
  /** PEM certificates that are trusted besides the usual ones. */
  ca_certs?: readonly string[];
}

/** The services of one run. */
export interface RunServices {
  request: PackServices;
  /** What packs used of the model since this was last asked; for the totals of the run. */
  besideUse(): BesideUse[];
}

/** Wires the services of the host to a session: one for each run, made when a pack's tool is first called. */
export function runServices(deps: PackServiceDeps): RunServices {
  const { session, loaded, emit } = deps;
  const { settings } = loaded;
  const network = systemNetwork(deps.ca_certs);
  const masker = lazyMasker(deps);
  const model = new ModelService({
    session,
    world: deps.world,
    budget: settings.plugin_model_tokens,
    max_output: deps.max_output,
    replayed: settings.api_type === "replay",
    makeModel: deps.makeModel,
  });
  const request = packServices({
    workspace: deps.workspace,
    roots: deps.roots,
    home: deps.home,
    dataDir: deps.dataDir,
    artifacts_dir: join(Deno.realPathSync(deps.session_dir), "artifacts"),
    judge: (tool, input) => deps.gate.judge(tool, input),
    ask: (question, signal) => deps.asker.ask(question, signal),
    decided: async (decision) => void await session.execute({ type: "decide_permission", ...decision }),
    async capture(tool, verdict, { call_id, signal }) {
      const note = await deps.capture?.before(tool, verdict, signal);
      if (note !== undefined) await session.execute({ type: "note_capture", call_id, ...note });
    },
    http: (request) => guardedFetch(request, network),
    complete: (request, call) => model.complete(request, call),
    async messages(limit) {
      const mask = await masker();
      return newest(session.state.messages, limit, mask);
    },
    tasks: packTasks(deps),
    emit: async (pack, name, data, call_id) =>
      void await session.execute({ type: "emit_plugin", pack, name, call_id, data }),
    log: async (level, text, call) => await tell(level, (await masker())(text), call, { session, emit }),
    config(id) {
      const section: unknown = Object.hasOwn(settings.plugins, id) ? settings.plugins[id] : undefined;
      return isJsonObject(section as Json) ? section as JsonObject : undefined;
    },
    check: (schema, value) => deps.validator.check(schema, value),
    max_requests: (pack) => deps.limits(pack).service_requests_per_call,
    // the message around an answer needs some room too
    max_answer_bytes: (pack) => deps.limits(pack).frame_bytes - 1_024,
  });
  return { request, besideUse: () => model.takeUse() };
}

/** Masks what this machine knows to be secret; loaded when a pack first shows or reads texts. */
function lazyMasker({ loaded, env }: PackServiceDeps): () => Promise<(text: string) => string> {
  let made: Promise<(text: string) => string> | undefined;
  const make = async () => {
    const [{ Masker }, { knownSecrets }] = await Promise.all([
      import("../sessions/export/mask_text.ts"),
      import("../sessions/export/known_secrets.ts"),
    ]);
    const masker = new Masker({
      secrets: await knownSecrets(loaded, env),
      home: "",
      user: "",
      emails: false,
    });
    return (text: string) => masker.text(text);
  };
  return () => made ??= make();
}

/** The newest messages that have a text, oldest first; what Lumina puts before a prompt is left out. */
function newest(
  messages: readonly Message[],
  limit: number,
  mask: (text: string) => string,
): { role: "user" | "assistant"; text: string }[] {
  const found: { role: "user" | "assistant"; text: string }[] = [];
  let bytes = 0;
  for (let index = messages.length - 1; index >= 0 && found.length < limit; index--) {
    const message = messages[index];
    if (message === undefined) break;
    const texts = message.content.flatMap((block) => block.type === "text" ? [block.text] : []);
    // a prompt's message begins with the facts of its moment
    const said = message.role === "user" ? texts.at(-1) ?? "" : texts.join("");
    if (said.trim() === "") continue;
    const text = mask(said);
    bytes += text.length;
    if (bytes > MOST_CONVERSATION) break;
    found.unshift({ role: message.role, text });
  }
  return found;
}

/** Shows a line with the pack's name: a warning is kept in the session, anything else is live only. */
async function tell(
  level: "info" | "warning",
  given: string,
  { pack, call_id }: ServiceCall,
  { session, emit }: Pick<PackServiceDeps, "session" | "emit">,
): Promise<void> {
  // control and format characters could move the cursor or hide a part of the line
  const line = given.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim().toWellFormed();
  if (line === "") return;
  const text = `Plugin ${pack.id}: ${
    line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line
  }`;
  if (level === "info") return emit({ type: "tool_progress", call_id, text: `${text}\n` });
  await session.execute({ type: "warn", text });
  emit({ type: "warning", text });
}
