import assert from "node:assert/strict";
import { sandboxConfig } from "./sandbox_config.ts";
import { sandboxHint } from "./sandbox_hint.ts";

const config = (sandbox = {}) => sandboxConfig({ config: { sandbox } });
const closed = { level: "closed", network: false, secrets: [] } as const;
const guarded = { level: "guarded", network: true, secrets: [] } as const;
const hint = (output: string, level: typeof closed | typeof guarded | undefined, sandbox = {}) =>
  sandboxHint(output, level === undefined ? undefined : { ...level, secrets: [] }, config(sandbox));

Deno.test("sandboxHint() says what the sandbox may have refused and how to ask for it", () => {
  assert.match(hint("curl: (6) Could not resolve host: x", closed) ?? "", /no network; escalate "network"/);
  assert.match(hint("touch: '/etc/x': Read-only file system", closed) ?? "", /workspace.*escalate "outside"/);
  assert.match(hint("npm error code ENOTFOUND", closed) ?? "", /no network/);
  assert.match(
    hint("connect ECONNREFUSED 127.0.0.1:80", closed) ?? "",
    /loopback of its own.*escalate "network"/,
  );
  const moved = "mv: cannot move 'a' to 'b': Device or resource busy";
  assert.match(hint(moved, closed) ?? "", /workspace/);
  assert.match(hint(moved, guarded, { pinned: ["/home/u/.config"] }) ?? "", /\/home\/u\/\.config/);
  const ssh = { secrets: [{ path: "/home/u/.ssh", dir: true }] };
  assert.match(
    hint("git@h: Permission denied (publickey).", guarded, ssh) ?? "",
    /\/home\/u\/\.ssh\).*"outside"/,
  );
});

Deno.test("sandboxHint() is silent about other failures, and names no way out that is closed", () => {
  assert.equal(hint("error: expected ;", closed), undefined);
  assert.equal(hint("FileNotFoundError: [Errno 2] No such file", closed), undefined);
  const secrets = [{ path: "/home/u/.ssh", dir: true }];
  for (const text of ["rm: x: Permission denied", "login test failed", "403 passed, 1 failed"]) {
    assert.equal(hint(text, guarded, { secrets }), undefined, text);
  }
  assert.equal(hint("Device or resource busy", guarded, { secrets }), undefined);
  assert.equal(hint("Permission denied (publickey).", guarded), undefined);
  assert.equal(hint("Network is unreachable", undefined), undefined);
  assert.equal(
    hint("Network is unreachable", closed, { allow_escalation: false }),
    "the sandbox has no network",
  );
});
