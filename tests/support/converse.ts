import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { startLumina } from "./run_lumina.ts";

/** A question as `--permission-prompt stdio` asks it. */
export interface Question {
  tool_name: string;
  input: JsonObject;
  decision_reason: string;
  permission_suggestions: JsonObject[];
}
export type Answer = (question: Question) => JsonObject | Promise<JsonObject>;

/** How a conversation went. */
export interface Conversation {
  results: { content: string; is_error: boolean }[];
  questions: Question[];
  session_id: string;
  code: number;
  stderr: string;
}

interface Line {
  type: string;
  session_id?: string;
  request_id?: string;
  request?: Question;
  message?: { content: { type: string; content?: string; is_error?: boolean }[] };
}

/** Makes the calls one a turn over stream-json and answers each question by the next answer. Throws at an unexpected one. */
export async function converse(
  place: { cwd: string; app_root: string; args?: readonly string[]; env?: Record<string, string> },
  calls: readonly { name: string; input: JsonObject }[],
  answers: readonly Answer[],
): Promise<Conversation> {
  await using provider = await startScriptedProvider({
    turns: [...calls.map((call) => ({ tool_calls: [call] })), { text: "done" }],
  });
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", ...place.args ?? []];
  args.push("--permission-prompt", "stdio", "--model", "m", "--api-key", "k", "--base-url", provider.url);
  await using run = await startLumina(args, { ...place });
  await run.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "go" } })}\n`);
  const results: Conversation["results"] = [];
  const questions: Question[] = [];
  let session_id = "";
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    session_id ||= line.session_id ?? "";
    if (line.type === "control_request" && line.request !== undefined) {
      const answer = answers[questions.length];
      if (answer === undefined) throw new Error(`an unexpected question: ${text}`);
      questions.push(line.request);
      const envelope = {
        subtype: "success",
        request_id: line.request_id,
        response: await answer(line.request),
      };
      await run.write(`${JSON.stringify({ type: "control_response", response: envelope })}\n`);
    }
    const block = line.type === "user" ? line.message?.content[0] : undefined;
    if (block?.type === "tool_result") {
      results.push({ content: block.content ?? "", is_error: block.is_error ?? false });
    }
    if (line.type === "result") await run.closeInput();
  }
  const { code, stderr } = await run.finished;
  return { results, questions, session_id, code, stderr };
}
