import { RPC_VERSION } from "../../plugin_api/mod.ts";
import type { Grant, HostMessage, WorkerMessage } from "../../plugin_api/mod.ts";
import { encodeFrame, readFrames } from "./frames.ts";
import { INIT_BYTES } from "./init_frame.ts";
import type { InitFrame, LoadMessage } from "./init_frame.ts";

/** The permission kinds that a process gives up as a whole where the grant names nothing of them. */
const KINDS = ["read", "write", "net", "env", "run", "sys"] as const;

/**
 * The life of a pack's process: reads what it shall run, gives up every kind of permission that was not granted, runs the
 * pack's module in one narrowed worker and hands messages on until standard input ends. Nothing of the pack is loaded before
 * the process has given up what it must. Never returns.
 */
export async function pluginProcess(): Promise<never> {
  const output = Deno.stdout.writable.getWriter();
  const frames = readFrames(Deno.stdin.readable, INIT_BYTES);
  const first = await frames.next();
  if (first.done) Deno.exit(0);
  const init = JSON.parse(new TextDecoder().decode(first.value)) as InitFrame;
  // whoever started this is gone: nothing is left to do
  const write = (frame: Uint8Array) => void output.write(frame).catch(() => end(init.grant));
  const failed = async (message: string): Promise<never> => {
    await output.write(encodeFrame({ type: "failed", message })).catch(() => {}); // ends anyway
    return end(init.grant);
  };
  if (init.version !== RPC_VERSION) return await failed(`it speaks version ${RPC_VERSION} of the messages`);
  if (await sha256(init.entry) !== init.sha256) return await failed("its module is not what was approved");

  // the only ones there are: the process was started without any
  for (const [name, value] of Object.entries(init.variables)) Deno.env.set(name, value);
  watchParent();
  const worker = new Worker(new URL("./pack_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: { ...init.grant, ffi: [], import: [] } },
  } as WorkerOptions);
  const ready = Promise.withResolvers<void>();
  const send = (message: WorkerMessage) => write(encodeMessage(message));
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage | "ready">) => {
    if (data === "ready") ready.resolve();
    else send(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    send({ type: "failed", message: event.message });
  };
  await ready.promise;
  await giveUp(init.grant);
  const load: LoadMessage = { pack: init.pack, tools: init.tools, hooks: init.hooks, entry: init.entry };
  worker.postMessage(load);

  try {
    for await (const frame of frames) {
      worker.postMessage(JSON.parse(new TextDecoder().decode(frame)) as HostMessage);
    }
  } catch {
    // the host never sends half a message: it is gone
  }
  return end(init.grant);
}

/**
 * Ends the process when its parent is gone, from a thread of its own: a pack that floods this one with messages would keep it
 * from seeing its input end. Only this code ever runs there; `run` is what signalling needs, for oneself too in some versions
 * of Deno.
 */
function watchParent(): void {
  const code = `setInterval(() => {
    if (Deno.ppid === ${Deno.ppid}) return;
    try { Deno.kill(-Deno.pid, "SIGKILL"); } catch { Deno.kill(Deno.pid, "SIGKILL"); }
  }, 500);`;
  const permissions = { read: [], write: [], net: [], env: [], run: true, sys: [], ffi: [], import: [] };
  new Worker(
    `data:text/javascript,${encodeURIComponent(code)}`,
    { type: "module", deno: { permissions } } as WorkerOptions,
  );
}

/** What is no JSON becomes an error result. */
function encodeMessage(message: WorkerMessage): Uint8Array {
  try {
    return encodeFrame(message);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (message.type !== "outcome") {
      return encodeFrame({ type: "failed", message: `it sent what is no JSON: ${why}` });
    }
    return encodeFrame({ ...message, outcome: { content: `The result is no JSON: ${why}`, is_error: true } });
  }
}

/** Whole kinds only, which is what a running process can give up. */
async function giveUp(grant: Grant): Promise<void> {
  for (const name of KINDS) if (grant[name].length === 0) await Deno.permissions.revoke({ name });
  for (const name of ["ffi", "import"]) {
    await Deno.permissions.revoke({ name } as Deno.PermissionDescriptor);
  }
}

/** Ends this process, and with it its whole group where it may have children. */
function end(grant: Grant): never {
  if (grant.run.length > 0) {
    try {
      Deno.kill(-Deno.pid, "SIGKILL");
    } catch {
      // it leads no group: it was started by hand, and has nobody to take along
    }
  }
  Deno.exit(0);
}

async function sha256(base64: string): Promise<string> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
