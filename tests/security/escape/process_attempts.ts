import { contained, denied } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";

/** Nobody needs a permission to signal the process that it is in. */
const OWN_PID = ["signal the host", "signal the host with Node", "see whether the host is alive"];
const SAME_PROCESS: NonNullable<Attempt["known"]> = {
  in: ["worker", "worker compiled"],
  why: "a worker may signal its own process, which is the host",
};

/** The environment, other programs, native code, signals. */
export const PROCESS_ATTEMPTS: Attempt[] = [
  ...denied({
    "a variable": ({ env_name }) => Deno.env.get(env_name),
    "a variable of Node": async ({ env_name }) => (await import("node:process")).env[env_name],
    "whether there is a variable": ({ env_name }) => Deno.env.has(env_name) || undefined,
    "every variable": () => Deno.env.toObject(),
    "every name of Node's": async () => {
      const names = Object.keys((await import("node:process")).env);
      return names.length > 0 ? names : undefined;
    },
    "variables in a report": async ({ canary }) => {
      const { default: process } = await import("node:process");
      const report = JSON.stringify(process.report?.getReport?.() ?? "");
      return report.includes(canary) ? report : undefined;
    },
    "set a variable": ({ env_name }) => {
      Deno.env.set(env_name, "changed");
      return "set";
    },
    "a file of variables": async ({ outside, env_name }) => {
      const { default: process } = await import("node:process");
      process.loadEnvFile(`${outside}/.env`);
      return process.env[`${env_name}_FILE`] ?? "loaded";
    },
    "run a program": async ({ mark }) =>
      (await new Deno.Command("/bin/echo", { args: [mark] }).output()).code,
    "run a program at once": ({ mark }) => new Deno.Command("/bin/echo", { args: [mark] }).outputSync().code,
    "run a program by its name": async ({ mark }) =>
      (await new Deno.Command("echo", { args: [mark] }).output()).code,
    "run a detached program": ({ mark }) =>
      new Deno.Command("/bin/sh", { args: ["-c", `sleep 600 # ${mark}`], detached: true }).spawn().pid,
    "exec with node:child_process": async ({ mark }) =>
      (await import("node:child_process")).execSync(`echo ${mark}`, { encoding: "utf8" }),
    "spawn with node:child_process": async ({ mark }) =>
      (await import("node:child_process")).spawnSync("/bin/echo", [mark], { encoding: "utf8" }).stdout ||
      undefined,
    "a shell of Node": async ({ mark }) => {
      const { spawnSync } = await import("node:child_process");
      return spawnSync(`echo ${mark}`, { shell: "/bin/sh", encoding: "utf8" }).stdout || undefined;
    },
    "spawn a child of Node that talks": async ({ outside }) => {
      const { fork } = await import("node:child_process");
      return await new Promise((resolve, reject) => {
        const child = fork(`${outside}/canary.mjs`);
        child.on("error", reject).on("exit", reject).on("message", resolve);
      });
    },
    "a cluster of Node": async () => {
      const { default: cluster } = await import("node:cluster");
      return cluster.fork().process.pid;
    },
    "start the program again with everything": async ({ exec_path, outside }) => {
      const { stdout } = await new Deno.Command(exec_path, { args: ["run", "-A", `${outside}/canary.mjs`] })
        .output();
      return new TextDecoder().decode(stdout);
    },
    "start the program again as a pack's": async () =>
      (await new Deno.Command(Deno.execPath(), { args: ["__plugin"], stdin: "null" }).output()).code,
    "replace itself by a program": async () => {
      const { default: process } = await import("node:process");
      (process as unknown as { execve(file: string, args: string[]): void }).execve("/bin/true", ["true"]);
      return "replaced";
    },
    "load a library": ({ library }) => {
      Deno.dlopen(library, { getpid: { parameters: [], result: "i32" } });
      return "loaded";
    },
    "load a library with process.dlopen": async ({ library }) => {
      const { default: process } = await import("node:process");
      (process as unknown as { dlopen(module: object, file: string): void }).dlopen({ exports: {} }, library);
      return "loaded";
    },
    "require an add-on": async ({ outside }) =>
      (await import("node:module")).createRequire(outside)("./canary.node"),
    "a pointer of its own": () => Deno.UnsafePointer.create(4_096n),
    "read memory at an address": () => {
      const view = Deno as unknown as { UnsafePointerView: { getCString(pointer: object): string } };
      return view.UnsafePointerView.getCString({});
    },
    "signal the host": ({ host_pid }) => {
      Deno.kill(host_pid, "SIGUSR1");
      return "sent";
    },
    "signal the host with Node": async ({ host_pid }) => {
      (await import("node:process")).kill(host_pid, "SIGUSR1");
      return "sent";
    },
    "see whether the host is alive": async ({ host_pid }) => (await import("node:process")).kill(host_pid, 0),
    "signal the parent": () => {
      Deno.kill(Deno.ppid, "SIGUSR1");
      return "sent";
    },
    "signal the host's group": ({ host_pid }) => {
      Deno.kill(-host_pid, "SIGWINCH");
      return "sent";
    },
    "become another user": async () => {
      const { default: process } = await import("node:process");
      process.setuid?.(1);
      return "changed";
    },
    "change a priority": async ({ host_pid }) => {
      (await import("node:os")).setPriority(host_pid, 19);
      return "changed";
    },
    "a binding of Node": async ({ outside }) => {
      const { default: process } = await import("node:process");
      const binding =
        (process as unknown as { binding(name: string): Record<string, (path: string) => string> })
          .binding("fs");
      return binding.readFileUtf8?.(`${outside}/canary.txt`);
    },
  }).map((attempt): Attempt =>
    OWN_PID.includes(attempt.what) ? { ...attempt, known: SAME_PROCESS } : attempt
  ),
  ...contained({
    "change the mask of modes of its process": () => Deno.umask(0o022),
    "signal its own group softly": () => {
      Deno.kill(0, "SIGWINCH");
      return "sent";
    },
    "listen to signals": () => {
      const heard = () => {};
      Deno.addSignalListener("SIGWINCH", heard);
      Deno.removeSignalListener("SIGWINCH", heard);
      return "listened";
    },
    "arguments of the program": () => Deno.args.length,
    "ask who runs it": () => [Deno.pid, Deno.ppid],
  }),
];
