import assert from "node:assert/strict";
import { LuminaError, systemWorld } from "../../base/mod.ts";
import type { Contributions, ToolOutcome } from "../../plugin_api/mod.ts";
import type { Pack, PackScope } from "../../plugin_host/mod.ts";
import type { HookInput } from "../../types/mod.ts";
import { PackHooks } from "./pack_hooks.ts";
import type { HookCalls } from "./pack_hooks.ts";

const INPUT: HookInput = { session_id: "s", transcript_path: "", cwd: "/", hook_event_name: "PreToolUse" };
const signal = new AbortController().signal;

function pack(id: string, hooks: Contributions["hooks"] = {}, scope: PackScope = "user"): Pack {
  return {
    id,
    scope,
    directory: "/",
    version: "1.0.0",
    enabled: true,
    grant: [],
    files: {},
    data_dir: "/",
    manifest: {
      id,
      version: "1.0.0",
      api: 1,
      title: id,
      kinds: ["hooks"],
      capabilities: [],
      contributes: { tools: [], hooks },
    },
  };
}

const GUARD = { PreToolUse: [{ matcher: "Bash", handler: "guard" }, { handler: "other", timeout_ms: 100 }] };

/** Calls that answer each handler's name as it is told. */
function calls(answers: Record<string, ToolOutcome | Error>, disabled: string[] = []): HookCalls {
  return {
    isDisabled: (id) => disabled.includes(id),
    callHook(_pack, { handler }) {
      const answer = answers[handler];
      if (answer === undefined || answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(answer);
    },
  };
}

Deno.test("handlers() gives each hook of an event with its pack's id; those of a project's pack are a repository's", () => {
  const packs = [pack("guard", GUARD), pack("local", GUARD, "project"), pack("tools")];
  const hooks = new PackHooks(packs, calls({}), systemWorld, () => false);
  assert.deepEqual(
    hooks.handlers("PreToolUse").map(({ name, source, matcher, timeout_ms }) => [
      name,
      source,
      matcher,
      timeout_ms,
    ]),
    [
      ["guard", "pack", "Bash", 52_000],
      ["guard", "pack", undefined, 22_100],
      ["local", "repo", "Bash", 52_000],
      ["local", "repo", undefined, 22_100],
    ],
  );
  const keys = hooks.handlers("PreToolUse").map(({ key }) => key);
  assert.equal(new Set(keys).size, 4);
  assert.deepEqual(hooks.handlers("Stop"), []);
  assert.equal(hooks.empty, false);
  assert.ok(new PackHooks([pack("tools")], calls({}), systemWorld, () => false).empty);
});

Deno.test("a pack that is switched off or not tried again has no hooks", () => {
  const packs = [pack("guard", GUARD), pack("other", GUARD), pack("third", GUARD)];
  const hooks = new PackHooks(packs, calls({}, ["other"]), systemWorld, (id) => id === "guard");
  assert.deepEqual(hooks.handlers("PreToolUse").map(({ name }) => name), ["third", "third"]);
});

Deno.test("an answer is JSON or none; whatever goes wrong is a reply of one line that decides nothing", async () => {
  const of = async (answer: ToolOutcome | Error) => {
    const hooks = new PackHooks([pack("guard", GUARD)], calls({ guard: answer }), systemWorld, () => false);
    return await hooks.handlers("PreToolUse")[0]!.run(INPUT, signal);
  };
  assert.deepEqual(await of({ content: "" }), { kind: "none" });
  assert.deepEqual(await of({ content: "", data: { decision: "block" } }), {
    kind: "json",
    value: { decision: "block" },
  });
  assert.deepEqual(await of({ content: "one\n\u001b[31mtwo", is_error: true }), {
    kind: "error",
    message: "one [31mtwo",
  });
  const crashed = new LuminaError("plugin.crashed", 'Pack "guard": its process ended with exit code 3');
  assert.deepEqual(await of(crashed), { kind: "error", message: "its process ended with exit code 3" });
});

Deno.test("run() throws the signal's reason when the run is interrupted", async () => {
  const abort = new AbortController();
  const reason = new Error("interrupted");
  abort.abort(reason);
  const hooks = new PackHooks([pack("guard", GUARD)], calls({ guard: reason }), systemWorld, () => false);
  await assert.rejects(hooks.handlers("PreToolUse")[0]!.run(INPUT, abort.signal), reason);
});
