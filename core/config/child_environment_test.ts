import assert from "node:assert/strict";
import { childEnvironment } from "./child_environment.ts";

const all = {
  PATH: "/bin",
  HOME: "/home/ada",
  LC_ALL: "C.UTF-8",
  LUMINA_API_KEY: "k",
  LLM_API_KEY: "k",
  ANTHROPIC_API_KEY: "k",
  AWS_SECRET_ACCESS_KEY: "k",
  HTTPS_PROXY: "http://u:p@proxy",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  DENO_CERT: "/ca.pem",
  LD_PRELOAD: "/evil.so",
  GOFLAGS: "-v",
  GIT_DIR: "/elsewhere/.git",
  GIT_SSH_COMMAND: "evil",
  GIT_PAGER: "less",
  PAGER: "less",
  RIPGREP_CONFIG_PATH: "/rc",
  NODE_OPTIONS: "--require /evil.js",
  BASH_ENV: "/evil.sh",
  ENV: "/evil.sh",
};

const UNATTENDED = { GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", PAGER: "cat" };

Deno.test("childEnvironment() is an allow-list: no key, no proxy, no loader, git or runtime knob", () => {
  assert.deepEqual(childEnvironment({ toObject: () => all }, { child_env_allow: [] }, "linux"), {
    PATH: "/bin",
    HOME: "/home/ada",
    LC_ALL: "C.UTF-8",
    ...UNATTENDED,
  });
});

Deno.test("childEnvironment() adds the names of child_env_allow that are set", () => {
  const env = childEnvironment({ toObject: () => all }, { child_env_allow: ["GOFLAGS", "ABSENT"] }, "linux");
  assert.equal(env.GOFLAGS, "-v");
  assert.ok(!("ABSENT" in env));
});

Deno.test("childEnvironment() keeps a pager or git switch of the user's own where child_env_allow names it", () => {
  const child_env_allow = ["GIT_PAGER", "GIT_OPTIONAL_LOCKS"];
  const env = childEnvironment({ toObject: () => all }, { child_env_allow }, "linux");
  assert.equal(env.GIT_PAGER, "less");
  assert.equal(env.GIT_OPTIONAL_LOCKS, "0", "it is not set, so the default stands");
});

Deno.test("childEnvironment() on Windows folds case and keeps what programs need to start", () => {
  const env = { Path: "C:\\bin", SystemRoot: "C:\\Windows", Secret: "k", GoFlags: "-v" };
  assert.deepEqual(childEnvironment({ toObject: () => env }, { child_env_allow: ["GOFLAGS"] }, "windows"), {
    Path: "C:\\bin",
    SystemRoot: "C:\\Windows",
    GoFlags: "-v",
    ...UNATTENDED,
  });
});
