import type { HostTool } from "../../../agent/mod.ts";
import { errorMessage, LuminaError } from "../../../base/mod.ts";
import type { Skill } from "../../../extension/mod.ts";
import { EFFORTS } from "../../../model/mod.ts";
import type { ToolOutcome } from "../../../plugin_api/mod.ts";
import type { CommandInfo, CommandProvider, CommandReply, JsonObject } from "../../../types/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";
import type { SessionSkills } from "./session_skills.ts";

/** The type of the sub-agent that does a skill which names none. */
const FORK_AGENT = "general-purpose";

/** Milliseconds for which the look that began with the session holds. */
const FRESH_MS = 500;

/** Skills: listed to the model once, loaded when it or a person calls one, kept after a compaction. */
export function skillsFeature(scope: FeatureScope): SessionFeature | undefined {
  if (!scope.parts.watch.current.settings.skills_enabled) return undefined;
  const feature = new SkillsFeature(scope);
  return {
    tools: [feature.tool],
    commands: feature.commands,
    participant: feature.participant,
    close: () => feature.close(),
  };
}

class SkillsFeature {
  readonly #scope: FeatureScope;
  #skills: Promise<SessionSkills> | undefined;
  /** When the session's first look ended, on the monotonic clock; long ago once a prompt has made use of it. */
  #looked = -Infinity;
  /** What a person has called and the run that it begins has not recorded yet. */
  #called: { skill: Skill; text: string }[] = [];
  /** Skills that only a person may call, and that one has called for this run. */
  #granted = new Set<string>();
  readonly tool: HostTool;
  readonly commands: CommandProvider;
  readonly participant: NonNullable<SessionFeature["participant"]>;

  constructor(scope: FeatureScope) {
    this.#scope = scope;
    this.tool = { name: "Skill", call: async (input, { signal }) => await this.#call(input, signal) };
    this.commands = {
      list: () => this.#list(),
      run: (name, args, signal) => this.#byName(name, args, signal),
    };
    const { session } = scope.parts;
    // beside the rest of the start, which waits for other things
    if (scope.depth === 0) this.#loaded().catch(() => {}); // thrown again where they are needed
    this.participant = {
      name: "skills",
      at: {
        prompt: async ({ context }, run) => {
          // a sub-agent has one task, and pays for what it is told
          if (run.session !== session || scope.depth > 0) return;
          const text = await this.#news(true);
          if (text !== undefined) context.push(text);
        },
        context: async ({ notes, step }, run) => {
          if (run.session !== session || scope.depth > 0) return;
          if (step === 0) await this.#recordCalled();
          else {
            const text = await this.#news(false);
            if (text !== undefined) notes.push(text);
          }
        },
        before_model: (moment) => {
          const effort = EFFORTS.find((level) => level === scope.turn.effort);
          if (effort !== undefined) moment.request = { ...moment.request, effort };
        },
        after_tool: async ({ tool, outcome }, run) => {
          if (tool.name !== "Skill" || outcome.is_error === true) return;
          const name = outcome.data?.["skill"];
          if (typeof name !== "string" || outcome.data?.["forked"] === true) return;
          const skill = (await this.#loaded()).find(name);
          await run.session.execute(used(skill, outcome.content, "model"));
          await this.#take(skill);
        },
        after_compaction: async ({ notes }, run) => {
          const skills = await this.#loaded();
          const listing = scope.depth > 0 ? "" : await skills.listing();
          // what began this run is said again already
          const used = run.session.state.skills.filter(({ text }) =>
            !notes.some((note) => note.includes(text))
          );
          notes.push(...[listing].filter((text) => text !== ""), ...skills.kept(used));
        },
        end: () => {
          this.#called = [];
          this.#granted.clear();
        },
      },
    };
  }

  async close(): Promise<void> {
    await this.#skills?.catch(() => {}); // told by whoever needed them
  }

  #loaded(): Promise<SessionSkills> {
    return this.#skills ??= this.#load();
  }

  async #load(): Promise<SessionSkills> {
    const { SessionSkills } = await import("./session_skills.ts");
    const skills = new SessionSkills(this.#scope);
    const found = await skills.look();
    this.#looked = this.#scope.parts.world.mono();
    // what an earlier process had opened is open again
    for (const { name } of this.#scope.parts.session.state.skills) {
      const skill = found.find((each) => each.name === name);
      const folder = skill === undefined ? undefined : skills.folder(skill);
      if (folder !== undefined) this.#scope.turn.open(folder);
    }
    return skills;
  }

  /** The listing, when the conversation does not end with it already. */
  async #news(look: boolean): Promise<string | undefined> {
    const skills = await this.#loaded();
    if (look) {
      // the look that began with the session is good for its first prompt, unless a person took their time
      if (this.#scope.parts.world.mono() - this.#looked > FRESH_MS) await skills.look();
      this.#looked = -Infinity;
    }
    if (!look && !skills.by_paths) return undefined;
    const { lastListing, NO_SKILLS } = await import("./skill_listing.ts");
    const { messages } = this.#scope.parts.session.state;
    const listing = await skills.listing();
    const last = lastListing(messages);
    if (listing === (last ?? "") || (listing === "" && last === NO_SKILLS)) return undefined;
    return listing === "" ? NO_SKILLS : listing;
  }

  async #recordCalled(): Promise<void> {
    for (const { skill, text } of this.#called.splice(0)) {
      await this.#scope.parts.session.execute(used(skill, text, "person"));
    }
  }

  /** What a skill that the model has loaded says of the rest of the run. */
  async #take(skill: Skill): Promise<void> {
    const skills = await this.#loaded();
    const folder = skills.folder(skill);
    if (folder !== undefined) this.#scope.turn.open(folder);
    this.#scope.turn.add(skills.limits(skill, "model"), `The skill "${skill.name}"`);
  }

  async #call(input: JsonObject, signal: AbortSignal): Promise<ToolOutcome> {
    const name = String(input["skill"]);
    const args = typeof input["args"] === "string" ? input["args"] : "";
    try {
      const skills = await this.#loaded();
      const skill = skills.find(name);
      if (!skill.model_invocable && !this.#granted.has(skill.name)) {
        return {
          content: `The skill ${skill.name} is for people alone: they call it as /${skill.name}`,
          is_error: true,
        };
      }
      const text = await skills.text(skill, args, signal);
      const data = { skill: skill.name, source: skill.source, forked: skill.fork };
      return skill.fork ? await this.#fork(skill, text, data, signal) : { content: text, data };
    } catch (error) {
      signal.throwIfAborted();
      return { content: errorMessage(error), is_error: true };
    }
  }

  async #fork(
    skill: Skill,
    prompt: string,
    data: { skill: string; source: string; forked: boolean },
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const { agents } = this.#scope.shared;
    if (agents === undefined) {
      return {
        content: `The skill ${skill.name} needs a sub-agent, and this session has none`,
        is_error: true,
      };
    }
    const { status, answer, error } = await agents.run({
      type: skill.agent ?? FORK_AGENT,
      description: `Skill ${skill.name}`,
      prompt,
      ...(skill.model === undefined ? {} : { model: skill.model }),
      ...(skill.effort === undefined ? {} : { effort: skill.effort }),
      ...(skill.allowed_tools === undefined ? {} : { allowed_tools: skill.allowed_tools }),
    }, signal);
    if (status === "success") return { content: answer, data };
    return {
      content: `The skill ${skill.name} ended as ${status}: ${error?.message ?? answer}`,
      is_error: true,
      data,
    };
  }

  async #list(): Promise<CommandInfo[]> {
    const skills = await (await this.#loaded()).look();
    return skills.filter(({ user_invocable }) => user_invocable).map((skill) => ({
      name: skill.name,
      aliases: [],
      argument_hint: skill.argument_hint,
      description: skill.description,
      source: "skill",
      file: skill.file,
    }));
  }

  /** `/name args`. Throws `skill.…` and the signal's reason. */
  async #byName(name: string, args: string, signal: AbortSignal): Promise<CommandReply> {
    const skills = await this.#loaded();
    const said = args.trim();
    const display = said === "" ? `/${name}` : `/${name} ${said}`;
    const skill = skills.find(name);
    if (!skill.user_invocable) {
      throw new LuminaError(
        "skill.not_for_people",
        `The skill ${skill.name} is for the model: ask for what it does`,
        {
          exit: 2,
        },
      );
    }
    if (skill.fork) {
      // a sub-agent is a part of a run: the run's first step starts it
      this.#granted.add(skill.name);
      const call = JSON.stringify({ skill: skill.name, ...(said === "" ? {} : { args: said }) });
      const prompt =
        `Call the Skill tool with ${call} now, once. Its result is for the person: answer with it.`;
      return { kind: "prompt", prompt, display, hidden: true };
    }
    const text = await skills.text(skill, said, signal);
    this.#called = [{ skill, text }];
    const folder = skills.folder(skill);
    if (folder !== undefined) this.#scope.turn.open(folder);
    return { kind: "prompt", prompt: text, display, turn: skills.limits(skill, "person"), hidden: true };
  }
}

function used({ name, source }: Skill, text: string, by: "person" | "model") {
  return { type: "use_skill", name, source, by, text } as const;
}
