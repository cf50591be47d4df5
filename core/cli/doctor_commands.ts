import type { Command } from "commander";
import { EXIT } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type { DoctorCheck } from "./doctor_port.ts";
import { rulePlace } from "./rule_place.ts";
import type { PlaceOptions } from "./rule_place.ts";
import { visibleControls } from "./visible_controls.ts";

const DOCTOR_HELP = `
Without --sandbox it looks at settings, key, app root, disk, programs, sessions, plugins and rules, and reaches no
network. With --sandbox it tries out, in throw-away folders, what each layer must hold back: the workers of the tools,
the processes of plugins, the sandbox of commands, the modes of the app root. Exit 0 when all that this machine should
hold holds, else 1.`;

/** `lumina doctor`: what is wrong with this installation, and what holds on this machine. */
export function addDoctorCommand(program: Command, { app, io }: CliDeps, setExit: SetExit): void {
  program.command("doctor").description(
    "look over this installation; --sandbox tries out what each layer holds",
  )
    .option("--sandbox", "write, connect, spawn and read where it must not be possible")
    .option("--cwd <dir>", "the workspace")
    .option("--json", "as JSON")
    .addHelpText("after", DOCTOR_HELP)
    .action(async (options: { sandbox?: true; cwd?: string; json?: true }) => {
      // flags of the program itself may stand before the command
      const before: PlaceOptions & { json?: true } = program.opts();
      const sandbox = options.sandbox ?? false;
      const checks: DoctorCheck[] = [];
      for await (const check of app.doctor.run({ place: rulePlace(options, before), sandbox })) {
        checks.push(check);
        if (!options.json && !before.json) await io.out(checkText(check, sandbox));
      }
      const failed = checks.filter(({ status }) => status === "failed").length;
      if (failed > 0) setExit(EXIT.failed);
      if (options.json || before.json) {
        return await io.out(`${JSON.stringify({ ok: failed === 0, checks })}\n`);
      }
      const what = sandbox ? "What this machine should hold holds" : "Nothing is wrong";
      await io.out(failed === 0 ? `${what}\n` : `${failed} of ${checks.length} failed\n`);
    });
}

function checkText({ layer, what, status, found, fix }: DoctorCheck, sandbox: boolean): string {
  const words = sandbox
    ? { ok: "held", note: "note", failed: "NOT HELD", skipped: "not tried" }
    : { ok: "ok", note: "note", failed: "FAILED", skipped: "skipped" };
  const lines = [
    `${layer.padEnd(16)} ${what.padEnd(44)} ${words[status].padEnd(9)} ${found}`.trimEnd(),
    ...(fix === undefined ? [] : [`${" ".repeat(17)}fix: ${fix}`]),
  ];
  return lines.map((line) => `${visibleControls(line)}\n`).join("");
}
