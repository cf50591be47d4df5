import { join } from "node:path";
import type { JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { withoutHost } from "../../core/plugin_api/mod.ts";
import plugin from "./mod.ts";

/** A workspace in a temporary folder, for tests: calls the tools as a host would and remembers what was seen. */
export class TestWorkspace implements AsyncDisposable {
  readonly root: string;
  /** `ws` below `root`; everything else in `root` is outside. */
  readonly cwd: string;
  seen: Record<string, string> = {};
  context: Partial<ToolContext> = {};

  private constructor(root: string) {
    this.root = root;
    this.cwd = join(root, "ws");
  }

  static async open(): Promise<TestWorkspace> {
    const workspace = new TestWorkspace(await Deno.realPath(await Deno.makeTempDir()));
    await Deno.mkdir(workspace.cwd);
    return workspace;
  }

  /** The absolute path of a name in the workspace. */
  path(name: string): string {
    return join(this.cwd, name);
  }

  async put(name: string, content: string | Uint8Array): Promise<void> {
    await Deno.writeFile(
      this.path(name),
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
  }

  async bytes(name: string): Promise<Uint8Array> {
    return await Deno.readFile(this.path(name));
  }

  async text(name: string): Promise<string> {
    return await Deno.readTextFile(this.path(name));
  }

  async call(tool: string, input: JsonObject): Promise<ToolOutcome> {
    const handler = plugin.tools[tool];
    if (handler === undefined) throw new Error(`no tool ${tool}`);
    const outcome = await handler(input, {
      call_id: "call-1",
      cwd: this.cwd,
      read_roots: [this.cwd],
      write_roots: [this.cwd],
      deny_read: [],
      deny_write: [],
      seen: this.seen,
      spill_dir: this.root,
      child_env: {},
      config: {},
      ...withoutHost(),
      ...this.context,
    });
    for (const { path, sha256 } of outcome.seen ?? []) this.seen[path] = sha256;
    return outcome;
  }

  /** Reads, then edits: what a model does. */
  async edit(
    name: string,
    old_string: string,
    new_string: string,
    more: JsonObject = {},
  ): Promise<ToolOutcome> {
    await this.call("Read", { file_path: name });
    return await this.call("Edit", { file_path: name, old_string, new_string, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.root, { recursive: true });
  }
}
