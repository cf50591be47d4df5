import { join } from "node:path";
import type { CaptureNote, CapturePort } from "../../agent/mod.ts";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { errorMessage, loadNativeHash, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { ToolManifest } from "../../plugin_api/mod.ts";
import type { Captured, RunRecorder, Workspace } from "../../rewind/mod.ts";
import type { Verdict } from "../../types/mod.ts";

type RewindModule = typeof import("../../rewind/mod.ts");

/** The settings of `rewind…`. */
export interface CaptureSettings {
  rewind: boolean;
  rewind_max_file_bytes: number;
  rewind_max_store_bytes: number;
}

export interface CaptureHookParts {
  app_root: AppRootPaths;
  project: { id: string; root: string };
  session_id: string;
  world: World;
}

/** Where the captured workspaces of a project are kept. */
export function snapshotFile(app_root: AppRootPaths, project_id: string): string {
  return join(app_root.projectDir(project_id), "rewind.sqlite");
}

/** A store is cleaned up to this share of what it may hold, so that the next capture need not clean up again. */
const CLEAN_SHARE = 0.8;

/** Captures the workspace of one open session. What the work needs is loaded with the first capture. */
export class CaptureHook {
  readonly #parts: CaptureHookParts;
  #module: Promise<RewindModule> | undefined;
  #recorder: RunRecorder | undefined;
  #workspace: Workspace | undefined;
  /** Said once in a session. */
  #told = new Set<string>();
  /** The workspace is too large: looking again and again would only cost time. */
  #given_up = false;

  constructor(parts: CaptureHookParts) {
    this.#parts = parts;
  }

  /** The port of one run. `warn` is told what could not be captured: the run goes on without. */
  begin(settings: CaptureSettings, warn: (text: string) => void): CapturePort {
    this.#recorder?.begin();
    if (this.#workspace !== undefined) this.#workspace.limits = limitsOf(settings);
    let wrote = false;
    const take = async (
      moment: CaptureNote["moment"],
      signal: AbortSignal,
      capture: (recorder: RunRecorder) => Promise<Captured | undefined>,
    ): Promise<CaptureNote | undefined> => {
      const nothing = { snapshot: "", moment, skipped: [] };
      if (!settings.rewind || this.#given_up) return nothing;
      try {
        const captured = await capture(this.#recorder ??= await this.#open(settings));
        return captured && { ...captured, moment };
      } catch (error) {
        signal.throwIfAborted();
        this.#given_up = error instanceof LuminaError && error.code === "rewind.too_large";
        this.#tell(error, warn);
        return nothing;
      }
    };
    return {
      prepare: (tool) => {
        if (settings.rewind && (tool?.effect === "write" || tool?.effect === "run")) void this.#load();
      },
      before: async (tool, verdict, signal) => {
        if (!mayWrite(tool, verdict)) return undefined;
        const paths = tool.effect === "write" ? writtenPaths(verdict) : undefined;
        const note = await take(
          paths === undefined ? "command" : "write",
          signal,
          (recorder) =>
            paths === undefined ? recorder.beforeCommand(signal) : recorder.beforeWrite(paths, signal),
        );
        wrote ||= note !== undefined;
        return note;
      },
      end: async (signal) => {
        if (!wrote) return undefined;
        const note = await take("end", signal, (recorder) => recorder.end(signal));
        await this.#clean(settings, warn);
        return note;
      },
    };
  }

  close(): void {
    this.#workspace?.store.close();
    this.#workspace = undefined;
    this.#recorder = undefined;
  }

  #load(): Promise<RewindModule> {
    if (this.#module === undefined) {
      this.#module = Promise.all([import("../../rewind/mod.ts"), loadNativeHash()]).then(([module]) =>
        module
      );
      this.#module.catch(() => {}); // told by the capture that needs it
    }
    return this.#module;
  }

  async #open(settings: CaptureSettings): Promise<RunRecorder> {
    const { app_root, project, session_id, world } = this.#parts;
    const { RunRecorder, SnapshotStore, Workspace } = await this.#load();
    return new RunRecorder(
      project.root,
      () =>
        this.#workspace ??= new Workspace(openStore(SnapshotStore, app_root, project.id), {
          root: project.root,
          session_id,
          exclude: [ownFolder(app_root)],
          limits: limitsOf(settings),
          world,
        }),
    );
  }

  /** Keeps the store below its limit: what sessions that are gone have left goes first, then the oldest. */
  async #clean(settings: CaptureSettings, warn: (text: string) => void): Promise<void> {
    const { app_root, world } = this.#parts;
    const store = this.#workspace?.store;
    try {
      if (store === undefined || store.bytes <= settings.rewind_max_store_bytes) return;
      const { removeGarbage } = await this.#load();
      await removeGarbage(store, {
        keeps: (id) => isSession(app_root, id),
        max_bytes: settings.rewind_max_store_bytes * CLEAN_SHARE,
        world,
      });
    } catch (error) {
      this.#tell(error, warn);
    }
  }

  #tell(error: unknown, warn: (text: string) => void): void {
    const text = `The files as they are now cannot be rewound to: ${errorMessage(error)}`;
    if (this.#told.has(text)) return;
    this.#told.add(text);
    warn(text);
  }
}

/** Lumina's own folder, links resolved. */
export function ownFolder(app_root: AppRootPaths): string {
  return Deno.realPathSync(app_root.root);
}

function openStore(
  store: RewindModule["SnapshotStore"],
  app_root: AppRootPaths,
  project_id: string,
): Workspace["store"] {
  makePrivateDirectory(app_root.projectDir(project_id));
  return store.open(snapshotFile(app_root, project_id), { create: true });
}

export function limitsOf(settings: CaptureSettings): { max_file_bytes: number; max_store_bytes: number } {
  return {
    max_file_bytes: settings.rewind_max_file_bytes,
    max_store_bytes: settings.rewind_max_store_bytes,
  };
}

function mayWrite(tool: ToolManifest, verdict: Verdict): boolean {
  return tool.effect === "write" || (tool.effect === "run" && verdict.reads_only !== true);
}

function writtenPaths({ paths }: Verdict): string[] {
  return paths.filter(({ access }) => access === "write").map(({ resolved }) => resolved);
}

/** Whether there is a session of this id, archived or not. */
export function isSession(app_root: AppRootPaths, id: string): boolean {
  return [app_root.sessionDir(id), join(app_root.archiveDir, id)].some((path) => {
    try {
      return Deno.lstatSync(path).isDirectory;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}
