import assert from "node:assert/strict";
import { packWith, servicePorts } from "../../../tests/support/service_ports.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import type { TempDir } from "../../../tests/support/temp_dir.ts";
import type { CapabilityRequest, ServiceError, ServiceName } from "../../plugin_api/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { packServices } from "./pack_services.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServicePack, TaskPort } from "./service_port.ts";

type Options = Parameters<typeof servicePorts>[2];

/** A host with a workspace, and asking its services as one pack. */
async function withHost(
  rules: Parameters<typeof servicePorts>[1],
  test: (host: {
    dir: TempDir;
    seen: ReturnType<typeof servicePorts>["seen"];
    ask(pack: ServicePack, name: string, params?: Json, call_id?: string): Promise<Json>;
    refused(pack: ServicePack, name: string, params?: Json): Promise<string>;
  }) => Promise<void>,
  options: Options = {},
): Promise<void> {
  await using dir = await tempDir();
  await dir.write("ws/notes.txt", "notes\n");
  await dir.write("home/secret.txt", "canary");
  await Deno.mkdir(dir.join("root"));
  const ports = servicePorts(dir.path, rules, options);
  const services = packServices(ports);
  const ask = (pack: ServicePack, name: string, params: Json = {}, call_id = "call-1") => {
    const [service, method] = name.split(".") as [ServiceName, string];
    return services(pack, call_id, { service, method, params: params as JsonObject });
  };
  await test({
    dir,
    seen: ports.seen,
    ask,
    refused: async (...args) => {
      const error = await ask(...args).then(
        (value) => assert.fail(`given: ${JSON.stringify(value)}`),
        (error) => error,
      );
      assert.equal((error as Error).name, "ServiceError", String(error));
      return `${(error as ServiceError).code}: ${(error as ServiceError).message}`;
    },
  });
}

const READ: CapabilityRequest = { kind: "fs.read", paths: [] };
const WRITE: CapabilityRequest = { kind: "fs.write", paths: [] };

/** Every service behind a capability, with parameters that fit. */
const EACH: readonly [string, CapabilityRequest, JsonObject][] = [
  ["model.complete", "model", { prompt: "p" }],
  ["artifact.put", "artifact", { name: "a", content: "" }],
  ["artifact.get", "artifact", { name: "a" }],
  ["artifact.list", "artifact", {}],
  ["ask.question", "ask", { text: "t" }],
  ["session.messages", "session.read", {}],
  ["tasks.list", "tasks", {}],
  ["journal.emit", "journal.emit", { name: "n", data: {} }],
  ["fs.read", READ, { path: "notes.txt" }],
  ["fs.list", READ, { path: "." }],
  ["fs.write", WRITE, { path: "notes.txt", content: "" }],
  ["net.fetch", "net", { url: "http://a.example/" }],
];

Deno.test("a service needs the capability both asked for in the manifest and granted by the person", async () => {
  await withHost({ mode: "yolo" }, async ({ refused, ask }) => {
    for (const [name, capability, params] of EACH) {
      assert.match(await refused(packWith(), name, params), /^denied: .* does not ask for it$/, name);
      const not_granted = { ...packWith(capability), grant: [] };
      assert.match(
        await refused(not_granted, name, params),
        /^denied: .* was not granted, or the tool does not name it$/,
        name,
      );
      const slipped_in = { ...packWith(), grant: [capability] };
      assert.match(await refused(slipped_in, name, params), /^denied: /, name);
    }
    assert.deepEqual(await ask(packWith(), "config.get"), {});
    assert.equal(await ask(packWith(), "log.write", { level: "info", text: "a" }), null);
  });
});

Deno.test("parameters are exactly what a service takes: more, fewer, other and unknown ones are invalid", async () => {
  await withHost({ mode: "yolo" }, async ({ refused }) => {
    for (const [name, capability, params] of EACH) {
      const pack = packWith(capability);
      assert.match(await refused(pack, name, { ...params, more: 1 }), /^invalid: /, name);
      for (const key of Object.keys(params)) {
        const rest = Object.fromEntries(Object.entries(params).filter(([other]) => other !== key));
        assert.match(await refused(pack, name, rest), /^invalid: /, `${name} without ${key}`);
        assert.match(
          await refused(pack, name, { ...params, [key]: null }),
          /^invalid: /,
          `${name} ${key} null`,
        );
      }
      for (const wrong of [null, [], "text", 1]) {
        assert.match(await refused(pack, name, wrong), /^invalid: /, `${name} ${JSON.stringify(wrong)}`);
      }
    }
    const pack = packWith("model", "artifact");
    for (
      const name of ["model.destroy", "model.constructor", "constructor.name", "__proto__.x", "other.get"]
    ) {
      assert.match(await refused(pack, name), /^invalid: There is no service/, name);
    }
  });
});

Deno.test("a call that asks too often is refused; another call still is served", async () => {
  await withHost({}, async ({ ask, refused }) => {
    const pack = packWith("artifact");
    for (let count = 0; count < 3; count++) await ask(pack, "artifact.list");
    assert.match(await refused(pack, "artifact.list"), /^quota: At most 3 requests/);
    assert.deepEqual(await ask(pack, "artifact.list", {}, "call-2"), []);
  }, { max_requests: () => 3 });
});

Deno.test("artifacts are plain files of one pack: names cannot leave their folder, links are neither read nor kept", async () => {
  await withHost({}, async ({ ask, refused, dir }) => {
    const pack = packWith("artifact");
    assert.deepEqual(await ask(pack, "artifact.put", { name: "a.txt", content: "größe" }), {
      name: "a.txt",
      bytes: 7,
    });
    assert.deepEqual(await ask(pack, "artifact.put", { name: "a.txt", content: "new" }), {
      name: "a.txt",
      bytes: 3,
    });
    assert.equal(await ask(pack, "artifact.get", { name: "a.txt" }), "new");
    assert.deepEqual(await ask({ ...pack, id: "other" }, "artifact.list"), []);
    for (
      const name of [
        "../x",
        "a/b",
        "..",
        ".",
        ".hidden",
        "/etc/passwd",
        "C:\\x",
        "a\0b",
        "a\nb",
        "ä",
        "x".repeat(101),
      ]
    ) {
      assert.match(await refused(pack, "artifact.put", { name, content: "" }), /^invalid: /, name);
      assert.match(await refused(pack, "artifact.get", { name }), /^invalid: /, name);
    }
    const folder = dir.join("root/artifacts/probe");
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    assert.equal((await Deno.stat(`${folder}/a.txt`)).mode! & 0o777, 0o600);
    await Deno.symlink(dir.join("home/secret.txt"), `${folder}/link`);
    assert.match(await refused(pack, "artifact.get", { name: "link" }), /^failed: There is no artifact/);
    await ask(pack, "artifact.put", { name: "link", content: "own" });
    assert.equal(await dir.read("home/secret.txt"), "canary");
    assert.deepEqual(await ask(pack, "artifact.list"), [{ name: "a.txt", bytes: 3 }, {
      name: "link",
      bytes: 3,
    }]);
    await Deno.remove(folder, { recursive: true });
    await Deno.symlink(dir.join("home"), folder);
    assert.match(await refused(pack, "artifact.put", { name: "b", content: "" }), /^failed: /);
    assert.match(await refused(pack, "artifact.list"), /^failed: /);
    assert.match(
      await refused(packWith("artifact"), "artifact.put", {
        name: "b",
        content: "ä".repeat(3 * 1024 * 1024),
      }),
      /^(quota|failed): /,
    );
  });
});

Deno.test("files are read as the session's rules say, on the path with all links followed", async () => {
  const rules = { deny: ["Read(hidden/**)"] };
  await withHost(rules, async ({ ask, refused, dir, seen }) => {
    const pack = packWith(READ);
    assert.equal(await ask(pack, "fs.read", { path: "notes.txt" }), "notes\n");
    await dir.write("ws/marked.txt", "\ufeffmarked");
    assert.equal(await ask(pack, "fs.read", { path: "marked.txt" }), "marked");
    await dir.write("ws/hidden/key.txt", "canary");
    await Deno.symlink(dir.join("ws/hidden"), dir.join("ws/open"));
    await Deno.symlink(dir.join("home/secret.txt"), dir.join("ws/away.txt"));
    for (const path of ["hidden/key.txt", "open/key.txt", "./x/../hidden/key.txt"]) {
      assert.match(await refused(pack, "fs.read", { path }), /^denied: Read was refused/, path);
    }
    for (const path of ["away.txt", "../home/secret.txt", "~/secret.txt", dir.join("home/secret.txt")]) {
      assert.match(await refused(pack, "fs.read", { path }), /^unavailable: .* needs a person/, path);
    }
    await dir.write("ws/program", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
    assert.match(await refused(pack, "fs.read", { path: "program" }), /^failed: .*no text/);
    assert.match(await refused(pack, "fs.read", { path: "absent" }), /^failed: .*does not exist/);
    await dir.write("ws/large.txt", "x".repeat(4 * 1024 * 1024 + 1));
    assert.match(await refused(pack, "fs.read", { path: "large.txt" }), /^failed: /);
    assert.deepEqual(
      (await ask(pack, "fs.list", { path: "." }) as { name: string; kind: string }[]).map(({ name, kind }) =>
        `${name} ${kind}`
      ),
      [
        "away.txt link",
        "hidden directory",
        "large.txt file",
        "marked.txt file",
        "notes.txt file",
        "open link",
        "program file",
      ],
    );
    // what was refused is recorded with the pack's name, what was merely read is not
    assert.ok(seen.decisions.length > 0);
    assert.ok(
      seen.decisions.every(({ behavior, pack, call_id }) =>
        behavior === "deny" && pack === "probe" && call_id === "call-1"
      ),
    );
  });
});

Deno.test("no yes of a person opens what the kernel of the machine shows of processes", async () => {
  const answer = { behavior: "allow", by: "user" } as const;
  await withHost({}, async ({ refused }) => {
    for (const path of ["/proc/self/environ", `/proc/${Deno.pid}/environ`]) {
      assert.match(await refused(packWith(READ), "fs.read", { path }), /^(failed|denied): /, path);
    }
  }, { answer });
});

Deno.test("a file is written as the rules say, after the workspace was captured and the permission recorded", async () => {
  const order: string[] = [];
  const options: Options = {
    answer: { behavior: "allow", by: "user" },
    capture(_tool, verdict) {
      order.push(`captured ${verdict.paths.length}`);
      return Promise.resolve();
    },
    decided({ behavior, by, tool }) {
      order.push(`${behavior} ${by} ${tool}`);
      return Promise.resolve();
    },
  };
  await withHost({ deny: ["Edit(locked/**)"] }, async ({ ask, refused, dir, seen }) => {
    const pack = packWith(WRITE);
    assert.equal(await ask(pack, "fs.write", { path: "new/deep/a.txt", content: "größe" }), null);
    assert.equal(await dir.read("ws/new/deep/a.txt"), "größe");
    assert.deepEqual(order, ["captured 1", "allow user Write"]);
    assert.match(seen.questions[0]?.reason ?? "", /^the plugin probe asks for it: /);
    assert.equal(seen.questions[0]?.input["content"], "größe", "the person sees what is written");
    await ask(pack, "fs.write", { path: "notes.txt", content: "changed" });
    assert.equal(await dir.read("ws/notes.txt"), "changed");
    assert.match(await refused(pack, "fs.write", { path: "locked/a", content: "" }), /^denied: /);
    assert.equal(order.at(-1), "deny policy Write");
    await Deno.symlink(dir.join("ws/locked"), dir.join("ws/free"));
    assert.match(await refused(pack, "fs.write", { path: "free/a", content: "" }), /^denied: /);
  }, options);
  await withHost({}, async ({ refused, dir }) => {
    assert.match(await refused(packWith(WRITE), "fs.write", { path: "a", content: "" }), /^unavailable: /);
    await assert.rejects(Deno.stat(dir.join("ws/a")));
  });
  await withHost({ mode: "plan" }, async ({ refused }) => {
    assert.match(await refused(packWith(WRITE), "fs.write", { path: "a", content: "" }), /^denied: /);
  });
});

Deno.test("a grant that names paths bounds what the rules would allow, and nobody is asked beyond it", async () => {
  await withHost({ mode: "yolo" }, async ({ ask, refused, seen, dir }) => {
    const own = packWith({ kind: "fs.write", paths: ["data"] }, {
      kind: "fs.read",
      paths: ["data", "~/open"],
    });
    assert.match(
      await refused(own, "fs.write", { path: "notes.txt", content: "" }),
      /^denied: .*for data alone/,
    );
    assert.match(await refused(own, "fs.read", { path: "notes.txt" }), /^denied: /);
    await dir.write("home/open/a.txt", "open");
    assert.equal(await ask(own, "fs.read", { path: "~/open/a.txt" }), "open");
    // a plain kind is what it says in words: files of the workspace
    assert.equal(await ask(packWith("fs.read"), "fs.read", { path: "notes.txt" }), "notes\n");
    assert.match(await refused(packWith("fs.read"), "fs.read", { path: "~/secret.txt" }), /^denied: /);
    assert.deepEqual(seen.questions, []);
  });
});

Deno.test("a question reaches the person; nobody to ask is unavailable, a no is denied", async () => {
  const pack = packWith("ask");
  const params = { text: "Which one?", options: ["a", "b"] };
  const answered: [NonNullable<Options>["answer"], string][] = [
    [{ behavior: "allow", by: "user", updated_input: { answer: "b" } }, "b"],
    [{ behavior: "allow", by: "user" }, "yes"],
  ];
  for (const [answer, expected] of answered) {
    await withHost({}, async ({ ask, seen }) => {
      assert.equal(await ask(pack, "ask.question", params), expected);
      assert.deepEqual(seen.questions.map(({ tool, input }) => ({ tool, input })), [{
        tool: "AskUserQuestion",
        input: { question: "Which one?", options: ["a", "b"], plugin: "probe" },
      }]);
    }, { ...(answer === undefined ? {} : { answer }) });
  }
  await withHost(
    {},
    async ({ refused }) => assert.match(await refused(pack, "ask.question", params), /^unavailable: /),
  );
  await withHost({}, async ({ refused }) => {
    assert.match(await refused(pack, "ask.question", params), /^denied: .*not now/);
  }, { answer: { behavior: "deny", by: "user", message: "not now" } });
});

Deno.test("records and lines are bounded in size and number", async () => {
  await withHost({}, async ({ ask, refused, seen }) => {
    const pack = packWith("journal.emit");
    await ask(pack, "journal.emit", { name: "step.done", data: { a: 1 } });
    assert.deepEqual(seen.emitted, [{ pack: "probe", name: "step.done", data: { a: 1 } }]);
    const large = { name: "n", data: { text: "ä".repeat(8 * 1024) } };
    assert.match(await refused(pack, "journal.emit", large), /^quota: .*16384/);
    for (const name of ["", "A", "a b", "a\n", "x".repeat(65)]) {
      assert.match(await refused(pack, "journal.emit", { name, data: {} }), /^invalid: /, name);
    }
    for (let count = 0; count < 20; count++) await ask(pack, "log.write", { level: "warning", text: "w" });
    assert.match(
      await refused(pack, "log.write", { level: "warning", text: "w" }),
      /^quota: At most 20 lines/,
    );
  });
});

Deno.test("a pack's settings are its own section with its schema's defaults; what does not fit is said by name", async () => {
  const schema = {
    type: "object",
    properties: { level: { type: "integer", default: 3 }, token: { type: "string" } },
    additionalProperties: false,
  };
  const pack = { ...packWith(), manifest: { capabilities: [], config: schema } };
  const sections: Record<string, JsonObject> = { probe: { token: "t" }, other: { token: "canary" } };
  const config = (id: string) => sections[id];
  await withHost({}, async ({ ask, refused }) => {
    assert.deepEqual(await ask(pack, "config.get"), { level: 3, token: "t" });
    sections["probe"] = { level: "many", tokn: "canary" };
    const said = await refused(pack, "config.get");
    assert.match(said, /^failed: The setting plugins\.probe does not fit: /);
    assert.ok(said.includes("tokn") && !said.includes("canary"), said);
    assert.deepEqual(await ask(packWith(), "config.get"), {});
  }, { config });
});

Deno.test("an answer that is too large for a message is refused, and what a port throws is failed", async () => {
  await withHost({}, async ({ refused }) => {
    assert.match(
      await refused(packWith("model"), "model.complete", { prompt: "x".repeat(2_000) }),
      /^quota: /,
    );
    assert.match(
      await refused(packWith("session.read"), "session.messages"),
      /^failed: the journal is closed$/,
    );
  }, {
    max_answer_bytes: () => 1_000,
    messages: () => Promise.reject(new Error("the journal\n is closed")),
  });
});

Deno.test("tasks go to the session's list, and what it refuses is said in its words", async () => {
  const tasks: TaskPort = {
    list: () => Promise.resolve([{ task_id: "1" }]),
    create: (task) => Promise.resolve({ task_id: "2", ...task }),
    update: (id) => Promise.reject(serviceFailure("invalid", `There is no task ${id}`)),
  };
  await withHost({}, async ({ ask, refused }) => {
    const pack = packWith("tasks");
    assert.deepEqual(await ask(pack, "tasks.list"), [{ task_id: "1" }]);
    assert.deepEqual(await ask(pack, "tasks.create", { task: { subject: "s" } }), {
      task_id: "2",
      subject: "s",
    });
    const change = { id: "9", change: { status: "completed" } };
    assert.equal(await refused(pack, "tasks.update", change), "invalid: There is no task 9");
  }, { tasks });
});
