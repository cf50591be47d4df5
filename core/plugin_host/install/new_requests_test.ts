import assert from "node:assert/strict";
import { newRequests } from "./new_requests.ts";

Deno.test("newRequests() gives what is beyond a grant, name by name", () => {
  const net = (...hosts: string[]) => ({ kind: "net" as const, hosts });
  assert.deepEqual(newRequests([net("a", "b"), "ask"], []), [net("a", "b"), "ask"]);
  assert.deepEqual(newRequests([net("a", "b"), "ask"], ["ask", net("b")]), [net("a")]);
  assert.deepEqual(newRequests([net("a")], [net("a", "b"), "model"]), []);
  // a name does not grant the kind, and the kind, of which each use is asked about, does not grant a name
  assert.deepEqual(newRequests(["net"], [net("a")]), ["net"]);
  assert.deepEqual(newRequests([net("a")], ["net"]), [net("a")]);
  assert.deepEqual(newRequests([{ kind: "run", programs: ["git"] }], ["run"]), [{
    kind: "run",
    programs: ["git"],
  }]);
  // reading and writing are two things, and files without paths are those of the workspace
  const read = (...paths: string[]) => ({ kind: "fs.read" as const, paths });
  assert.deepEqual(newRequests(["fs.read"], [read("workspace")]), []);
  assert.deepEqual(newRequests([read("workspace", "data")], ["fs.read"]), [read("data")]);
  assert.deepEqual(newRequests(["fs.write"], ["fs.read"]), ["fs.write"]);
  assert.deepEqual(newRequests([{ kind: "env", names: ["A", "B"] }], [{ kind: "env", names: ["A"] }]), [
    { kind: "env", names: ["B"] },
  ]);
});

Deno.test("newRequests() gives a kind with an empty list, which is more than the names it had", () => {
  const net = (...hosts: string[]) => ({ kind: "net" as const, hosts });
  const read = (...paths: string[]) => ({ kind: "fs.read" as const, paths });
  const write = (...paths: string[]) => ({ kind: "fs.write" as const, paths });
  assert.deepEqual(newRequests([net(), read(), write()], []), [net(), read(), write()]);
  assert.deepEqual(newRequests([net(), read()], [net("a"), read("workspace")]), [net(), read()]);
  assert.deepEqual(newRequests([read()], ["fs.read"]), [read()]);
  assert.deepEqual(newRequests([net(), read()], [net(), read()]), []);
  // both say: any host, each asked about
  assert.deepEqual(newRequests([net()], ["net"]), []);
  assert.deepEqual(newRequests([net("a")], [net()]), [net("a")]);
});
