import { join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { errorMessage, LuminaError, writeFileAtomic } from "../../base/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { Json } from "../../types/mod.ts";

/** The last answer about what a project brings. */
export interface TrustDecision {
  decision: "trusted" | "revoked";
  /** Over all items. */
  hash: string;
  /** ISO 8601. */
  decided_at: string;
  items: { kind: "plugin" | "setting" | "hook"; name: string; hash: string; lines: string[] }[];
}

/** `data/projects/<id>/trust.json`: outside of the project, so that nothing in it can answer for a person. */
export class TrustFile {
  readonly path: string;
  readonly #directory: string;

  constructor(app_root: AppRootPaths, project_id: string) {
    this.#directory = app_root.projectDir(project_id);
    this.path = join(this.#directory, "trust.json");
  }

  /** Undefined where nobody was asked, or where the file cannot be understood: then everything is asked again. */
  read(): TrustDecision | undefined {
    try {
      const json: Json = JSON.parse(Deno.readTextFileSync(this.path));
      return isDecision(json) ? json : undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
      throw new LuminaError("trust.unreadable", `Cannot read ${this.path}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }

  /** The settings of the project that count: the hashes of the values that were looked at, by key. */
  trustedSettings(): ReadonlyMap<string, string> {
    const decision = this.read();
    if (decision?.decision !== "trusted") return new Map();
    return new Map(
      decision.items.filter(({ kind }) => kind === "setting").map(({ name, hash }) => [name, hash]),
    );
  }

  /** The hashes of the project's hooks that were looked at and may run. */
  trustedHooks(): ReadonlySet<string> {
    const decision = this.read();
    if (decision?.decision !== "trusted") return new Set();
    return new Set(decision.items.filter(({ kind }) => kind === "hook").map(({ hash }) => hash));
  }

  /** Mode 0600. Throws `trust.unwritable`. */
  write(decision: TrustDecision): void {
    try {
      makePrivateDirectory(this.#directory);
      writeFileAtomic(this.path, `${JSON.stringify({ version: 1, ...decision }, null, 2)}\n`);
    } catch (error) {
      throw new LuminaError(
        "trust.unwritable",
        `The answer could not be kept in ${this.path}: ${errorMessage(error)}`,
        { cause: error },
      );
    }
  }
}

function isDecision(json: Json): json is Json & TrustDecision {
  if (!isJsonObject(json) || json["version"] !== 1 || !Array.isArray(json["items"])) return false;
  const texts = [json["hash"], json["decided_at"]].every((text) => typeof text === "string");
  const decided = json["decision"] === "trusted" || json["decision"] === "revoked";
  return texts && decided &&
    json["items"].every((item) =>
      isJsonObject(item) && typeof item["kind"] === "string" && typeof item["name"] === "string" &&
      typeof item["hash"] === "string" && Array.isArray(item["lines"])
    );
}
