// A host that plugin_process_test.ts kills: calls one tool of a pack that never returns, and says what runs.
//   plugin_process_host.ts TOOL-BODY [PROGRAM]
import { emptyGrant } from "../../core/plugin_api/mod.ts";
import { testPack } from "../../core/plugin_host/process/process_tier_testing.ts";

const [body = "", program] = Deno.args;
const pack = await testPack({ held: body }, {
  ...(program === undefined ? {} : { command: { program, args: ["__plugin"] } }),
});
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
say(pack.data_dir);
await pack.call("held", {
  grant: { ...emptyGrant(), run: body.includes("/bin/sleep") ? ["/bin/sleep"] : [] },
  timeout_ms: 600_000,
  progress: (text) => say(text),
});
