import type { Json } from "../types/mod.ts";

/** Checks a final answer: its JSON value, or what is wrong with it. */
export type AnswerCheck = (answer: string) => { ok: true; value: Json } | { ok: false; problems: string[] };

/**
 * Makes an answer check from a compiled JSON Schema. The answer must be one JSON value; a Markdown code fence around
 * it is taken off.
 */
export function answerCheck(validate: (value: unknown) => string[]): AnswerCheck {
  return (answer) => {
    const fenced = /^```(?:json)?[ \t]*\n([\s\S]*?)\n?```$/.exec(answer.trim());
    let value: Json;
    try {
      value = JSON.parse(fenced?.[1] ?? answer.trim());
    } catch (error) {
      return { ok: false, problems: [`it is not JSON (${error instanceof Error ? error.message : error})`] };
    }
    const problems = validate(value);
    return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
  };
}

/** What the model is told about the schema; goes with the prompt. */
export function answerInstruction(schema: unknown): string {
  return `Your final answer must be one JSON value that fits this JSON Schema, and nothing else:\n${
    JSON.stringify(schema)
  }`;
}
