import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { errorMessage } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type { SearxngStatus } from "./services_port.ts";
import { SignalAbort } from "./signals.ts";

/** The published image of SearXNG (https://docs.searxng.org/admin/installation-docker.html). */
const IMAGE = "docker.io/searxng/searxng:latest";

/** `lumina services searxng start|stop|status`: the search engine that WebSearch may use, in a container. */
export function addServicesCommands(program: Command, { app, io }: CliDeps, setExit: SetExit): void {
  const services = program.command("services").description("services that Lumina runs on this machine");
  const searxng = services.command("searxng")
    .description("SearXNG, a search engine for WebSearch, in a container of docker or podman");
  const print = async (status: SearxngStatus, json: boolean | undefined, text: string) =>
    await io.out(json ? `${JSON.stringify(status)}\n` : `${text}\n`);
  searxng.command("start")
    .description("start it on 127.0.0.1 and wait until it answers")
    .option("--port <port>", "its port; a free one by default", whole(1, 65_535))
    .option("--image <image>", "the container's image", IMAGE)
    .option("--timeout <seconds>", "how long to wait for its first answer", whole(1, 3_600), 90)
    .option("--json", "as JSON")
    .addHelpText("after", "\nExit codes: 0 it answers, 1 it does not, 3 there is no docker and no podman.")
    .action(async (flags: { port?: number; image: string; timeout: number; json?: true }) => {
      const signals = new SignalAbort();
      try {
        const status = await app.services.startSearxng({
          ...(flags.port === undefined ? {} : { port: flags.port }),
          image: flags.image,
          timeout_ms: flags.timeout * 1000,
          signal: signals.signal,
        });
        await print(status, flags.json, `SearXNG answers at ${status.url}`);
      } catch (error) {
        if (signals.exit === undefined) throw error;
        io.err(`lumina: ${errorMessage(error)}; SearXNG was not started\n`);
        setExit(signals.exit);
      } finally {
        signals.stop();
      }
    });
  searxng.command("stop").description("end it").option("--json", "as JSON")
    .action(async (flags: { json?: true }) => {
      const stopped = await app.services.stopSearxng();
      await print(
        { state: "stopped" },
        flags.json,
        stopped ? "SearXNG is stopped" : "SearXNG was not running",
      );
    });
  searxng.command("status").description("whether it runs, and where").option("--json", "as JSON")
    .action(async (flags: { json?: true }) => {
      const status = await app.services.searxngStatus();
      await print(status, flags.json, words(status));
    });
}

function words({ state, url }: SearxngStatus): string {
  if (state === "running") return `SearXNG answers at ${url}`;
  if (state === "silent") {
    return `SearXNG was started and does not answer at ${url}: stop it and start it again`;
  }
  return "SearXNG is not running (lumina services searxng start)";
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
