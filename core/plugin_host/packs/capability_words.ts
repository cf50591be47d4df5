import type { CapabilityRequest } from "../../plugin_api/mod.ts";

const WORDS: Readonly<Record<string, string>> = {
  "fs.read": "read files of the workspace",
  "fs.write": "change files of the workspace",
  net: "reach the network: each address is asked about",
  run: "start programs: each is asked about, and a program may do whatever you may",
  model: "ask the session's model, which costs tokens",
  memory: "read and write Lumina's memory",
  "session.spawn": "start sessions of its own",
  "session.read": "read the texts of the conversation",
  tasks: "read and change the session's tasks",
  artifact: "keep files with the session",
  ask: "ask you questions",
  "journal.emit": "note events of its own in the session",
};

/** What a pack asks for, in words for the person who grants it. */
export function capabilityWords(request: CapabilityRequest): string {
  if (typeof request === "string") return WORDS[request] ?? request;
  switch (request.kind) {
    case "fs.read":
      return `read ${pathWords(request.paths)}`;
    case "fs.write":
      return `change ${pathWords(request.paths)}`;
    case "net":
      return request.hosts.length === 0 ? `${WORDS["net"]}` : `reach ${listed(request.hosts)}`;
    case "run":
      return `start ${listed(request.programs)}: a program may do whatever you may`;
    case "env":
      return `read the environment variable${request.names.length === 1 ? "" : "s"} ${listed(request.names)}`;
    case "sys":
      return `learn of this machine: ${listed(request.kinds)}`;
  }
}

function pathWords(paths: readonly string[]): string {
  if (paths.length === 0) return "files through Lumina: each is judged by your rules";
  return listed(
    paths.map((path) => path === "workspace" ? "the workspace" : path === "data" ? "its own folder" : path),
  );
}

/** With "and": after "its own folder" a comma would read as if that folder had the name that follows. */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
