import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import {
  decodeText,
  detectTextFormat,
  fileError,
  makeDirectories,
  openChecked,
  readChecked,
  replaceFile,
  resolvePath,
} from "../../files/mod.ts";
import type { ReplacedFile } from "../../files/mod.ts";
import type { ToolManifest } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { requirePath } from "./capability_scope.ts";
import { AS_LIST, AS_READ, AS_WRITE, judged, recordAllowed } from "./judged.ts";
import type { Decision } from "./judged.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServiceCall, ServicePorts } from "./service_port.ts";

/** Bytes of a file that is read. */
const MOST_FILE_BYTES = 4 * 1024 * 1024;
/** Names of a folder. */
const MOST_ENTRIES = 10_000;

/** A text file as text, without its byte order mark. */
export async function readFile(path: string, call: ServiceCall, ports: ServicePorts): Promise<string> {
  const { resolved } = await judgedPath(AS_READ, "fs.read", { file_path: path }, path, call, ports);
  const { bytes } = await readChecked(resolved, MOST_FILE_BYTES);
  const format = detectTextFormat(bytes);
  if ("binary" in format) throw serviceFailure("failed", `"${path}" is no text: ${format.binary}`);
  return decodeText(bytes.subarray(format.bom), format.encoding).toWellFormed();
}

/** Writes a whole file as UTF-8, making its folders; the workspace is captured and the permission recorded before. */
export async function writeFile(
  path: string,
  content: string,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<void> {
  const input = { file_path: path, content };
  const { resolved, decision } = await judgedPath(AS_WRITE, "fs.write", input, path, call, ports);
  await ports.capture(AS_WRITE, decision.verdict, call);
  await recordAllowed(AS_WRITE, decision, call, ports);
  call.signal.throwIfAborted();
  const old = await existing(resolved);
  if (old === null) await makeDirectories(dirname(resolved));
  await replaceFile(resolved, new TextEncoder().encode(content), old, true);
}

/** What is in a folder, sorted by name; links are named as links and never followed. */
export async function listFolder(
  path: string,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<{ name: string; kind: "file" | "directory" | "link" }[]> {
  const { resolved } = await judgedPath(AS_LIST, "fs.read", { path }, path, call, ports);
  const entries: { name: string; kind: "file" | "directory" | "link" }[] = [];
  try {
    if (await realpath(resolved) !== resolved) {
      throw serviceFailure("failed", `"${path}" has moved; try again`);
    }
    for await (const { name, isDirectory, isSymlink } of Deno.readDir(resolved)) {
      if (entries.length >= MOST_ENTRIES) {
        throw serviceFailure("failed", `"${path}" has more than ${MOST_ENTRIES} entries`);
      }
      entries.push({ name, kind: isSymlink ? "link" : isDirectory ? "directory" : "file" });
    }
  } catch (error) {
    throw error instanceof Error && error.name === "ServiceError" ? error : fileError("list", path, error);
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * The path that was judged, with all links followed: nothing else is opened. What the grant leaves out is refused before
 * anybody is asked about it.
 */
async function judgedPath(
  tool: ToolManifest,
  kind: "fs.read" | "fs.write",
  input: JsonObject,
  path: string,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<{ resolved: string; decision: Decision }> {
  requirePath(call.pack, kind, resolvePath(path, { cwd: ports.workspace, home: ports.home }), ports);
  const decision = await judged(tool, input, call, ports);
  const [only, more] = decision.verdict.paths;
  if (only === undefined || more !== undefined) {
    throw serviceFailure("failed", `"${path}" could not be judged`);
  }
  requirePath(call.pack, kind, only.resolved, ports);
  return { resolved: only.resolved, decision };
}

async function existing(resolved: string): Promise<ReplacedFile | null> {
  try {
    await lstat(resolved);
  } catch {
    return null; // a folder that may not be looked into fails again when it is written
  }
  const { handle, ...file } = await openChecked(resolved, "write");
  await handle.close();
  return file;
}
