import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";

/** `lumina config …`: look at the settings and change the user's file. */
export function addConfigCommands(program: Command, { app, io }: CliDeps): void {
  const config = program.command("config").description("look at the settings, or change the user's file");
  config.command("list").description("effective settings and where each comes from; secrets are masked")
    .option("--cwd <dir>", "the project whose settings count; default is the current directory")
    .action(async (options: { cwd?: string }) => {
      const before: { cwd?: string } = program.opts(); // `lumina --cwd DIR config list` means the same
      for (const { key, value, source } of await app.config.list(options.cwd ?? before.cwd ?? ".")) {
        await io.out(`${key} = ${value}  (${source})\n`);
      }
    });
  config.command("set").description("change one key of the user's settings.json; comments stay")
    .argument("<key>").argument("<value>", "JSON, or a plain text")
    .action(async (key: string, value: string) => {
      const { file } = await app.config.set(key, value);
      await io.out(`${file}: ${key} set\n`);
    });
  config.command("docs").description("every setting with its default, variable and flag")
    .action(async () => await io.out(await app.config.docs()));
  config.command("schema").description("the JSON Schema of settings.json, for editors")
    .action(async () => await io.out(await app.config.schema()));
}
