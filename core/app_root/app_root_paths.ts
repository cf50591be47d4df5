import { join } from "node:path";
import { EXIT, LuminaError } from "../base/mod.ts";

/** The five ownership layers: who may replace what is inside, and what a backup needs. */
export const LAYERS = ["app", "config", "data", "state", "cache"] as const;

/** The paths of everything Lumina keeps. Only the layers and `sessionsDir` exist for sure; make the rest when needed. */
export interface AppRootPaths {
  /** Absolute path of the whole. */
  readonly root: string;
  readonly layoutFile: string;
  /** Replaceable with each version: `app`. */
  readonly appDir: string;
  /** What the user writes: `config`. */
  readonly configDir: string;
  readonly settingsFile: string;
  readonly mcpFile: string;
  /** `LUMINA.md` and `AGENTS.md` that hold in every project. */
  readonly instructionsDir: string;
  readonly userSkillsDir: string;
  readonly userTeamsDir: string;
  readonly userPluginsDir: string;
  /** What must not be lost: `data`. */
  readonly dataDir: string;
  readonly sessionsDir: string;
  readonly archiveDir: string;
  /** What this machine can make again at some cost: `state`. */
  readonly stateDir: string;
  readonly logsDir: string;
  readonly runDir: string;
  /** What may be deleted at any time: `cache`. */
  readonly cacheDir: string;
  readonly tmpDir: string;
  /** `data/sessions/active/<id>`. */
  sessionDir(id: string): string;
  /** `data/projects/<id>`. */
  projectDir(project_id: string): string;
  /** `state/projects/<id>`. */
  projectStateDir(project_id: string): string;
  /** Where a session's tool output that is too long to show goes. */
  spillDir(project_id: string, session_id: string): string;
}

/** The paths under `root`. Touches no disk. The functions throw `app_root.bad_id` for an id that could leave its folder. */
export function appRootPaths(root: string): AppRootPaths {
  const configDir = join(root, "config");
  const dataDir = join(root, "data");
  const stateDir = join(root, "state");
  const cacheDir = join(root, "cache");
  const sessionsDir = join(dataDir, "sessions", "active");
  return {
    root,
    layoutFile: join(root, "layout.json"),
    appDir: join(root, "app"),
    configDir,
    settingsFile: join(configDir, "settings.json"),
    mcpFile: join(configDir, "mcp.json"),
    instructionsDir: join(configDir, "instructions"),
    userSkillsDir: join(configDir, "skills"),
    userTeamsDir: join(configDir, "teams"),
    userPluginsDir: join(configDir, "plugins"),
    dataDir,
    sessionsDir,
    archiveDir: join(dataDir, "sessions", "archive"),
    stateDir,
    logsDir: join(stateDir, "logs"),
    runDir: join(stateDir, "run"),
    cacheDir,
    tmpDir: join(cacheDir, "tmp"),
    sessionDir: (id) => join(sessionsDir, folderName(id, "session")),
    projectDir: (project_id) => join(dataDir, "projects", folderName(project_id, "project")),
    projectStateDir: (project_id) => join(stateDir, "projects", folderName(project_id, "project")),
    spillDir: (project_id, session_id) =>
      join(
        stateDir,
        "projects",
        folderName(project_id, "project"),
        "tool-results",
        folderName(session_id, "session"),
      ),
  };
}

function folderName(id: string, kind: string): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u.test(id) || id.length > 200) {
    throw new LuminaError(
      "app_root.bad_id",
      `Not a ${kind} id: ${
        JSON.stringify(id.slice(0, 80))
      } (letters, digits, ".", "_" and "-", no leading dot)`,
      { exit: EXIT.usage },
    );
  }
  return id;
}
