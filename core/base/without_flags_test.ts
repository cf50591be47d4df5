import assert from "node:assert/strict";
import { errorMessage, withoutFlags } from "./mod.ts";

Deno.test("withoutFlags() says of a missing permission that it was not granted, as sources and compiled", () => {
  const to = 'Requires read access to "/etc/a, \\"b\\"", ';
  assert.equal(
    withoutFlags(
      `x: ${to}run again with the --allow-read flag; Requires sys access to "hostname", run again with ` +
        "the --allow-sys flag",
    ),
    `x: ${to}which was not granted; Requires sys access to "hostname", which was not granted`,
  );
  assert.equal(
    withoutFlags(
      "Requires env access, specify the required permissions during compilation using `deno compile --allow-env`",
    ),
    "Requires env access, which was not granted",
  );
  assert.equal(withoutFlags("git push --allow-empty"), "git push --allow-empty");
});

Deno.test("errorMessage() names no flags of the runtime", async () => {
  const denied = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "--no-config",
      "await Deno.permissions.revoke({ name: 'env' }); try { Deno.env.get('X') } catch (e) { console.log(e.message) }",
    ],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(denied.stdout).trim();
  assert.match(text, /^Requires env access to "X", /);
  assert.equal(errorMessage(new Error(text)), 'Requires env access to "X", which was not granted');
});
