import { errorMessage } from "../../base/mod.ts";
import type { DoctorCheck } from "../../cli/mod.ts";
import { attemptChecks } from "../../doctor/mod.ts";
import type { Confinement, JsonObject, PermissionMode } from "../../types/mod.ts";
import type { SessionTools } from "../session_tools.ts";
import { closedScript, doorStates, guardedScript, proxyScript } from "./command_script.ts";
import type { DoorState } from "./command_script.ts";
import type { ProbePlace } from "./probe_place.ts";
import { startTarget } from "./probe_target.ts";

/** How long one script may take. */
const SCRIPT_MS = 60_000;

const FIX = "this machine's sandbox does not hold what it should: report it, and do not use mode auto here";

/** The tools of a session in a mode. */
export type ToolsIn = (mode: PermissionMode) => SessionTools;

/** A command in the closed sandbox tries what it must not be able to. */
export async function* probeClosed(place: ProbePlace, tools: ToolsIn): AsyncIterable<DoctorCheck> {
  const layer = "sandbox closed";
  await using target = startTarget(place.mark);
  const script = closedScript(place, target);
  const leave = `(setsid sleep ${target.seconds} >/dev/null 2>&1 &)`;
  const states = await run(tools("auto"), `${script}\n${leave}`, {
    level: "closed",
    network: false,
    secrets: [],
  });
  if (typeof states === "string") return yield broken(layer, states);
  const works = states.get("write in the workspace");
  states.delete("write in the workspace");
  yield {
    layer,
    what: "write in the workspace (must work)",
    status: works === "open" ? "ok" : "failed",
    found: works === "open" ? "it worked" : "it did not work",
    ...(works === "open" ? {} : { fix: "commands in mode auto can change nothing here: report it" }),
  };
  states.set("end a process outside", await target.alive() ? "held" : "open");
  if (await target.leftBehind()) states.set("leave a process behind", "open");
  else states.set("leave a process behind", "held");
  yield* doorChecks(layer, states);
}

/** A command in the guarded sandbox tries to read secrets. */
export async function* probeGuarded(place: ProbePlace, tools: ToolsIn): AsyncIterable<DoctorCheck> {
  const layer = "sandbox guarded";
  const states = await run(tools("ask"), guardedScript(place), {
    level: "guarded",
    network: true,
    secrets: [],
  });
  if (typeof states === "string") yield broken(layer, states);
  else yield* doorChecks(layer, states);
}

/** A closed command asks the proxy for an address that is listed, and for another one. */
export async function* probeProxy(place: ProbePlace, tools: ToolsIn): AsyncIterable<DoctorCheck> {
  const layer = "sandbox proxy";
  const states = await run(tools("auto"), proxyScript(place), {
    level: "closed",
    network: false,
    secrets: [],
  });
  if (typeof states === "string") return yield broken(layer, states);
  const reached = states.get("reach an allowed address") === "open";
  states.delete("reach an allowed address");
  yield {
    layer,
    what: "reach an allowed address (must work)",
    status: reached ? "ok" : "failed",
    found: reached ? "it worked" : "it did not work",
    ...(reached ? {} : { fix: "sandbox.allowed_domains has no effect here: report it" }),
  };
  yield* doorChecks(layer, states);
}

function doorChecks(layer: string, states: ReadonlyMap<string, DoorState>): DoctorCheck[] {
  return [...states].flatMap(([what, state]): DoctorCheck[] => {
    if (state === "held" || state === "open") {
      const found = state === "held" ? "it failed" : "it worked";
      return attemptChecks(layer, [{ what, held: state === "held", found }], FIX);
    }
    return [{ layer, what, status: "skipped", found: state.slice("skipped: ".length) }];
  });
}

function broken(layer: string, found: string): DoctorCheck {
  const fix = "no command can run in it: the line says why";
  return { layer, what: "run a command", status: "failed", found, fix };
}

/** Runs a script as the Bash tool would, with the kernel left out; a text is why it did not run. */
async function run(
  tools: SessionTools,
  script: string,
  confinement: Confinement,
): Promise<Map<string, DoorState> | string> {
  const tool = tools.find("Bash");
  if (tool === undefined) return "there is no tool for commands";
  const input: JsonObject = { command: script, description: "doctor", timeout: SCRIPT_MS };
  try {
    const outcome = await tools.call(tool, input, {
      call_id: "doctor",
      verdict: {
        behavior: "allow",
        reason: "a probe",
        source: "mode",
        paths: [],
        suggestions: [],
        confinement,
      },
      seen: {},
      signal: AbortSignal.timeout(SCRIPT_MS),
      progress() {},
    });
    const states = doorStates(outcome.content);
    return states.size === 0 ? outcome.content.slice(0, 300).replace(/\s+/g, " ") : states;
  } catch (error) {
    return errorMessage(error);
  }
}
