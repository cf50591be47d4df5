import type { HostTool } from "../../../agent/mod.ts";
import type { ToolOutcome } from "../../../plugin_api/mod.ts";
import type { PermissionMode } from "../../../types/mod.ts";
import type { FeatureScope } from "../session_feature.ts";
import type { AskPerson } from "./ask_person.ts";

/** Into mode plan and out of it again, each with the person's consent. */
export class PlanMode {
  readonly tools: readonly HostTool[];
  readonly #scope: FeatureScope;
  readonly #ask: AskPerson;
  /** The mode to which an approved plan leads back; ask when the session began in mode plan. */
  #before: PermissionMode = "ask";

  constructor(scope: FeatureScope, ask: AskPerson) {
    this.#scope = scope;
    this.#ask = ask;
    this.tools = [
      { name: "EnterPlanMode", call: (input, run) => this.#enter(input, run) },
      { name: "ExitPlanMode", call: (input, run) => this.#exit(input, run) },
    ];
  }

  async #enter(...[input, run]: Parameters<HostTool["call"]>): Promise<ToolOutcome> {
    const { session } = this.#scope;
    const mode = await session.mode();
    if (mode === "plan") return { content: "The mode is plan already" };
    const answer = await this.#ask(
      "EnterPlanMode",
      input,
      "the agent wants to make a plan before it changes anything",
      run,
    );
    if (answer.behavior === "deny") {
      return {
        content: `The person does not want a plan: ${answer.message ?? "go on without one"}`,
        is_error: true,
      };
    }
    // the answer itself may have changed it
    if (await session.mode() !== "plan") await this.#set(mode, "plan", "EnterPlanMode");
    this.#before = mode;
    return {
      content:
        "Mode plan from here on: look around, change nothing, then hand your plan in with ExitPlanMode",
      data: { mode: "plan" },
    };
  }

  async #exit(...[input, run]: Parameters<HostTool["call"]>): Promise<ToolOutcome> {
    const { session } = this.#scope;
    if (await session.mode() !== "plan") {
      return {
        content: "The mode is not plan, so there is nothing to approve: go on with the work",
        is_error: true,
      };
    }
    const answer = await this.#ask("ExitPlanMode", input, "the agent wants to carry out this plan", run);
    if (answer.behavior === "deny") {
      const why = answer.message ?? "no reason given";
      return {
        content:
          `The person did not approve the plan: ${why}\nThe mode is still plan: change the plan and hand it in again`,
        is_error: true,
      };
    }
    let mode = await session.mode();
    if (mode === "plan") await this.#set("plan", mode = this.#before, "ExitPlanMode");
    else await this.#note("plan", mode, "ExitPlanMode"); // the answer has said which
    const plan = answer.updated_input?.["plan"];
    const changed = typeof plan === "string" && plan !== input["plan"];
    return {
      content: `The person approved the plan. The mode is ${mode} from here on: carry it out.${
        changed ? ` They changed it to:\n${plan}` : ""
      }`,
      data: { mode, plan: changed ? plan : input["plan"] ?? "" },
    };
  }

  async #set(from: PermissionMode, to: PermissionMode, by: string): Promise<void> {
    await this.#scope.session.setMode(to);
    await this.#note(from, to, by);
  }

  async #note(from: PermissionMode, to: PermissionMode, by: string): Promise<void> {
    await this.#scope.parts.session.execute({ type: "note_mode", from, to, by });
  }
}
