import type { Command } from "commander";
import { LuminaError } from "../base/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import { minuteText, statusText, titleText } from "./list_sessions.ts";
import type { ShownCall, ShownMessage, ShownSession } from "./session_show_port.ts";

/** Characters of a call's input that its line shows. */
const INPUT_SHOWN = 120;

const OUTCOMES: Record<ShownCall["status"], string> = {
  ok: "",
  error: "  -> failed",
  not_run: "  -> not run",
  unknown: "  -> outcome unknown: the run was interrupted after it had started",
};

/** `lumina session show`. */
export function addSessionShowCommands(session: Command, { app, io }: CliDeps): void {
  session.command("show").description("one session: what it is, and its conversation with message numbers")
    .argument("<id>", "its id, or the beginning of it")
    .option("--tools", "each tool call as a line")
    .option("--json", "as JSON")
    .option("--output <call>", "only the whole output of one call that a locked run cut for the model")
    .action(async (id: string, options: { tools?: true; json?: true; output?: string }) => {
      if (options.output !== undefined) {
        return await io.out(await app.session_show.output(id, options.output));
      }
      const shown = await app.session_show.show(id);
      for (const problem of shown.skipped) io.err(`lumina: Left out: ${problem}\n`);
      if (options.json) await io.out(`${JSON.stringify(shown)}\n`);
      else {
        await io.out(headerText(shown));
        for (const message of shown.messages) await io.out(messageText(message, options.tools ?? false));
      }
      if (shown.damage !== undefined) throw new LuminaError("session.damaged", shown.damage);
    });
}

function headerText({ session }: ShownSession): string {
  const { input, output, cache_read, cache_write } = session.usage;
  const cost = session.cost_usd === null ? "unknown" : `$${session.cost_usd.toFixed(4)}`;
  const { forked_from } = session;
  const lines: [string, string][] = [
    ["title", titleText(session.title)],
    ["session", session.session_id],
    ["project", session.cwd],
    ["model", session.model],
    ["mode", session.mode],
    ["created", minuteText(session.created_ts)],
    ["last activity", minuteText(session.updated_ts)],
    ["status", `${statusText(session)}${session.pinned ? ", pinned" : ""}`],
    ["turns", String(session.turns)],
    ["tokens", `${input} in, ${output} out, ${cache_read} from cache, ${cache_write} to cache`],
    ["cost", cost],
    ...(forked_from === null
      ? []
      : [["fork of", `${forked_from.session_id} at event ${forked_from.seq}`] satisfies [string, string]]),
  ];
  return lines.map(([name, value]) => `${`${name}:`.padEnd(15)}${value === "" ? "-" : value}\n`).join("");
}

function messageText({ number, role, ts, text, calls }: ShownMessage, tools: boolean): string {
  const head = `\n#${number} ${role} ${new Date(ts).toISOString().slice(0, 19).replace("T", " ")}Z\n`;
  // what may have acted without anybody knowing is always said
  const listed = tools ? calls : calls.filter(({ status }) => status === "unknown");
  const names = calls.map(({ name }) => name).join(", ");
  const body = text === "" ? (tools || calls.length === 0 ? "" : `(calls ${names})\n`) : `${text}\n`;
  return head + body + listed.map(callText).join("");
}

function callText({ name, input, status }: ShownCall): string {
  const all = JSON.stringify(input);
  const said = all.length <= INPUT_SHOWN ? all : `${all.slice(0, INPUT_SHOWN - 1)}…`;
  return `  ${name} ${said.toWellFormed()}${OUTCOMES[status]}\n`;
}
