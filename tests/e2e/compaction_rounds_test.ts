import assert from "node:assert/strict";
import { Compactor, runAgent, systemPrompt } from "../../core/agent/mod.ts";
import type { ToolPort } from "../../core/agent/mod.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import { createModel } from "../../core/model/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ToolManifest } from "../../core/plugin_api/mod.ts";
import { Session } from "../../core/session/mod.ts";
import type { RunEvent } from "../../core/types/mod.ts";
import { tempDir } from "../support/temp_dir.ts";

const ROOT = new URL("../../", import.meta.url);
const WINDOW = 32_000;
const FIRST = "第一条指令：把每个文件的结论写成中文，绝对不要修改 main.c。";
const RULES = "项目规则：所有回答都要用中文，变量名用英文。";
/** About 1500 characters, most of them Chinese. */
const PROSE = "这个模块负责读取配置文件，检查每一项的取值范围，并在出错时给出清楚的中文说明。".repeat(36);

/** A tool that reads; each file has a text of its own. */
const READ: ToolManifest = {
  name: "Read",
  aliases: [],
  description: "Reads a file.",
  input_schema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
  capabilities: [],
  effect: "read",
  repeat: "retry",
  parallel: true,
  subject: { kind: "none" },
  programs: [],
  timeout_ms: 1000,
} as unknown as ToolManifest;

const tools: ToolPort = {
  tools: [READ],
  find: (name) => name === "Read" ? READ : undefined,
  check: () => [],
  prepare: () => {},
  call: (_tool, input) => Promise.resolve({ content: `${input["file_path"]}: ${PROSE}` }),
};

for (const [wire, ROUNDS] of [["anthropic", 300], ["openai_compatible", 60]] as const) {
  Deno.test(`${ROUNDS} rounds of tools on a window of 32 k with mostly Chinese text, ${wire} wire: every request valid and within it, no instruction lost, the price bounded`, async () => {
    await using dir = await tempDir();
    const summary = `## Goal\n${"总结：已经读过前面的文件，接着读后面的。".repeat(20)}`;
    await using provider = await startScriptedProvider({
      turns: [
        { match: "one JSON object a line", text: summary, repeat: true },
        ...Array.from({ length: ROUNDS }, (_, index) => ({
          text: index % 3 === 0 ? "继续读下一个文件，" + "然后比较两者的差异。".repeat(4) : "",
          tool_calls: [{ name: "Read", input: { file_path: `模块${index}.ts` } }],
        })),
        { text: "全部读完了" },
      ],
    });
    const journal = await openJournal(`${dir.path}/runtime.sqlite`, { create: true, world: systemWorld });
    const model = createModel({
      primary: {
        api_type: wire,
        model: wire === "anthropic" ? "claude-test" : "m",
        base_url: provider.url,
        api_key: "sk",
        context_window: WINDOW,
        max_output_tokens: 4_000,
      },
      models_file: new URL("resources/models.json", ROOT),
      world: systemWorld,
    });
    const told: RunEvent[] = [];
    try {
      const session = await Session.open(journal, () => 1);
      const system = systemPrompt("You work.", [{ path: "AGENTS.md", text: RULES }], "");
      await session.execute({
        type: "create",
        system,
        session_id: "s",
        project_id: "p",
        cwd: "/w",
        lumina_version: "0",
        origin: "headless",
      });
      const result = await runAgent(
        {
          session,
          model,
          tools,
          gate: {
            judge: () =>
              Promise.resolve({ behavior: "allow", source: "mode", reason: "", paths: [], suggestions: [] }),
          },
          asker: { ask: () => Promise.resolve({ behavior: "deny", by: "headless" }) },
          world: systemWorld,
          emit: (event) => event.type !== "stream" && told.push(event),
          cost: () => 0,
          compactor: new Compactor({
            world: systemWorld,
            threshold: () => 0.8,
            prompt: () => Deno.readTextFile(new URL("resources/prompts/compaction.md", ROOT)),
          }),
        },
        {
          run_id: "run-1",
          prompt: FIRST,
          context: "<context>\n</context>",
          system,
          mode: "ask",
          max_steps: ROUNDS + 10,
          max_denials: 5,
          fail_on_denial: false,
          warnings: [],
        },
        new AbortController().signal,
      );
      assert.deepEqual([result.status, result.answer], ["success", "全部读完了"], result.error?.message);
      assert.equal(session.state.messages.length, 2 * ROUNDS + 2, "the conversation stays whole");
    } finally {
      model.close();
      await journal.close();
    }
    const bodies = provider.requests.map(({ raw }) => raw);
    const asked = bodies.filter((body) => !body.includes("one JSON object a line"));
    assert.equal(asked.length, ROUNDS + 1);
    for (const body of asked) {
      assert.ok(
        body.includes(FIRST) && body.includes(RULES),
        "first instruction and rules are in every request",
      );
      // as the scripted provider counts
      assert.ok(new TextEncoder().encode(body).length / 4 < WINDOW, `${body.length} characters`);
    }
    const summaries = bodies.length - asked.length;
    const compactions = told.filter(({ type }) => type === "compacted").length;
    assert.ok(compactions >= ROUNDS / 30 && compactions <= ROUNDS / 4, `${compactions} compactions`);
    const breaks = asked.filter((body, index) => index > 0 && !extendsRequest(asked[index - 1] ?? "", body));
    assert.equal(breaks.length, compactions, "each request extends the one before, but after a compaction");
    assert.ok(summaries <= compactions, `${summaries} summaries`);
    assert.deepEqual(told.filter(({ type }) => type === "warning"), []);
  });
}

/** True when the conversation of a request begins, byte for byte, with that of the one before. */
function extendsRequest(before: string, body: string): boolean {
  const messages = (text: string) => JSON.stringify(JSON.parse(text).messages).slice(0, -1);
  return messages(body).startsWith(messages(before));
}
