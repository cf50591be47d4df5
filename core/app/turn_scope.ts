import type { GatePort } from "../agent/mod.ts";
import { buildPolicy, judge, parseRule } from "../permission/mod.ts";
import type { Policy, Rule, RuleLayer, RuleSource } from "../permission/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { JsonObject, TurnLimits, Verdict } from "../types/mod.ts";

/** Where the rules of a turn are judged. */
export interface TurnPlace {
  workspace: string;
  home: string;
  path: string;
  /** Where the next command starts. */
  shell: { readonly cwd: string };
}

/** What a command or a skill says of the run it is used in: which tools it leaves, and what it allows. Ends with the run. */
export class TurnScope {
  #place: TurnPlace;
  #narrow: { by: string; texts: readonly string[]; narrowing: Narrowing }[] = [];
  #allow: string[] = [];
  #effort: string | undefined;
  #version = 0;
  #opened: string[] = [];

  constructor(place: TurnPlace) {
    this.#place = place;
  }

  /** Changes whenever what it allows does. */
  get version(): number {
    return this.#version;
  }

  /** Folders that may be read beside the workspace: those of skills that were used. They stay open for the session. */
  get opened(): readonly string[] {
    return this.#opened;
  }

  open(folder: string): void {
    if (this.#opened.includes(folder)) return;
    this.#opened = [...this.#opened, folder];
    this.#version++;
  }

  /** The last effort that was named. */
  get effort(): string | undefined {
    return this.#effort;
  }

  /** Begins a run with nothing but these limits. */
  begin(limits?: TurnLimits, by = "This command"): void {
    if (this.#allow.length > 0) this.#version++;
    this.#narrow = [];
    this.#allow = [];
    this.#effort = undefined;
    if (limits !== undefined) this.add(limits, by);
  }

  /** Adds limits to those of the run: what it leaves is left by all of them, what one allows is allowed. */
  add({ allowed_tools, allow, effort }: TurnLimits, by: string): void {
    if (allowed_tools !== undefined) {
      this.#narrow.push({ by, texts: allowed_tools, narrowing: this.#narrowing(allowed_tools) });
    }
    if (allow !== undefined && allow.length > 0) {
      this.#allow = [...new Set([...this.#allow, ...allow])];
      this.#version++;
    }
    if (effort !== undefined) this.#effort = effort;
  }

  /** The layer with what the run allows besides. */
  withAllowed(layer: RuleLayer): RuleLayer {
    return this.#allow.length === 0 ? layer : { ...layer, allow: [...layer.allow ?? [], ...this.#allow] };
  }

  /** The same gate, which refuses what the run does not leave. */
  watchGate(gate: GatePort): GatePort {
    return {
      judge: async (tool, input) => {
        const verdict = await gate.judge(tool, input);
        return verdict.behavior === "deny" ? verdict : await this.#refusal(tool, input, verdict) ?? verdict;
      },
    };
  }

  async #refusal(tool: ToolManifest, input: JsonObject, verdict: Verdict): Promise<Verdict | undefined> {
    if (tool.effect === "none") return undefined; // changes nothing outside of Lumina
    for (const { by, texts, narrowing } of this.#narrow) {
      if (await leaves(narrowing, tool, input, this.#place.shell.cwd)) continue;
      const { folder_suggestions: _folders, mode_alone: _alone, ...rest } = verdict;
      return {
        ...rest,
        behavior: "deny",
        source: "rule",
        reason: `${by} leaves this run only ${texts.join(", ") || "tools that touch nothing"}`,
        suggestions: [],
      };
    }
    return undefined;
  }

  #narrowing(texts: readonly string[]): Narrowing {
    const source: RuleSource = { origin: "session", base_dir: this.#place.workspace };
    const rules = texts.flatMap((text) => {
      try {
        return [parseRule(text, source)];
      } catch {
        return []; // what cannot be read leaves nothing
      }
    });
    const all = rules.map(({ text }) => text);
    // who is told to read a file is not told to edit it
    const writing = rules.filter(({ tool }) => tool !== "Read").map(({ text }) => text);
    const { workspace, home, path } = this.#place;
    const made = (layer: Omit<RuleLayer, "source">) =>
      buildPolicy({
        // files that a command writes are no question here: whether it may is for the session's own gate
        mode: "accept-edits",
        layers: [{ source, ...layer }],
        workspace,
        added_dirs: [],
        read_dirs: [],
        home,
        protected_paths: [],
        path,
      }).policy;
    return {
      rules,
      commands: made({ allow: all }),
      reading: made({ deny: all }),
      writing: made({ deny: writing }),
    };
  }
}

/** The rules of one list, ready to be met by calls. */
interface Narrowing {
  rules: readonly Rule[];
  /** For commands, of which every part must be covered. */
  commands: Policy;
  /** For everything else: these refuse what the rules mean. */
  reading: Policy;
  writing: Policy;
}

/** True when the rules mean this call. Commands that only read are left wherever any command is. */
async function leaves(
  { rules, commands, reading, writing }: Narrowing,
  tool: ToolManifest,
  input: JsonObject,
  shell_cwd: string,
): Promise<boolean> {
  const own = rules.filter((rule) => [tool.name, ...tool.aliases].includes(rule.tool));
  if (own.some(({ specifier }) => specifier === undefined)) return true;
  if (tool.subject.kind === "command") {
    if (own.length === 0) return false;
    return (await judge({ tool, input }, { ...commands, shell_cwd })).behavior === "allow";
  }
  const means = tool.effect === "write" ? writing : reading;
  const verdict = await judge({ tool, input }, { ...means, shell_cwd });
  return verdict.behavior === "deny" && verdict.rule !== undefined;
}
