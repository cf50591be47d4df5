import type { Attempt, EscapeInput, Observed } from "./attempt.ts";

/** Makes attempts, some at a time; each is given up after two seconds. Inside the pack: it uses nothing of this module. */
export async function runAttempts(
  attempts: readonly Pick<Attempt, "what" | "run">[],
  input: EscapeInput,
): Promise<Observed[]> {
  // what Node's side throws by itself when it is refused must not end the others
  for (const kind of ["error", "unhandledrejection"]) {
    globalThis.addEventListener(kind, (event) => event.preventDefault());
  }
  const make = async ({ what, run }: Pick<Attempt, "what" | "run">): Promise<Observed> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const late = new Promise((_, reject) =>
        timer = setTimeout(() => reject(Object.assign(new Error("late"), { name: "NoAnswer" })), 2_000)
      );
      const value = await Promise.race([(async () => await run(input))(), late]);
      if (value === undefined || value === null) return { what, refused: "nothing" };
      const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
      return { what, value: text.slice(0, 4_000) };
    } catch (error) {
      const part = (key: string) => {
        try {
          return String((error as Record<string, unknown>)[key] ?? "");
        } catch {
          return "hidden"; // a getter that throws
        }
      };
      // words of an error may hold what was read
      return {
        what,
        refused: part("code") || part("name") || "Error",
        value: part("message").slice(0, 1_000),
      };
    } finally {
      clearTimeout(timer);
    }
  };
  const observed: Observed[] = [];
  for (let at = 0; at < attempts.length; at += 64) {
    observed.push(...await Promise.all(attempts.slice(at, at + 64).map(make)));
  }
  return observed;
}

/** A pack whose one tool `escape` makes every attempt; the text of the functions is what it is made of. */
export function attemptsModule(attempts: readonly Attempt[]): string {
  const list = attempts.map(({ what, run }) => `{ what: ${JSON.stringify(what)}, run: ${run.toString()} }`);
  return `const runAttempts = ${runAttempts.toString()};
const attempts = [${list.join(",\n")}];
export default { tools: { async escape(input) {
  return { content: JSON.stringify(await runAttempts(attempts, input)) };
} } };`;
}
