import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";

const random = "q7Rt9zLm2Xc4Vb8Nw1";

/** Made up, in pieces, so that no scanner takes this file for a leak. */
const PLANTED: Record<string, string> = {
  known: "a-key-without-any-form",
  aws: "AKIA" + "IOSFODNN7EXAMPLE",
  github: "ghp_" + random + random,
  openai: "sk-" + random + random,
  slack: "xoxp-" + "123456789012-" + random,
  jwt: "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0." + random,
  pem: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
  password: "correct(horse)battery",
  header: "Zm9vOmJhcg-and-more",
  userinfo: "letmein",
  named: "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
};
const PEM = `-----BEGIN ${"PRIVATE KEY"}-----\n${PLANTED["pem"]}\n-----END ${"PRIVATE KEY"}-----\n`;
/** Every planted secret in the way it usually stands. */
const LEAKS = [
  `key ${PLANTED["known"]}`,
  `${PLANTED["aws"]} ${PLANTED["github"]} ${PLANTED["openai"]} ${PLANTED["slack"]} ${PLANTED["jwt"]}`,
  PEM,
  `password: "${PLANTED["password"]}"`,
  `curl -H "Authorization: Token ${PLANTED["header"]}" https://me:${PLANTED["userinfo"]}@example.org/`,
  `SERVICE_API_KEY=${PLANTED["named"]}`,
].join("\n");
const MARKUP = `<script>alert(1)</script><img src=x onerror="alert('1')"> & </div>`;

/** A session whose prompt, answers, thinking, tool inputs and results hold every secret. */
async function leakyProject(): Promise<{ project: AgentProject; id: string }> {
  const project = await AgentProject.open({
    turns: [
      {
        thinking: `I think of\n${LEAKS}`,
        text: "I read it.",
        tool_calls: [{ name: "Read", input: { file_path: "leaks.txt" } }, {
          name: "Write",
          input: { file_path: "copy.txt", content: LEAKS },
        }],
      },
      { text: `It says\n${LEAKS}\nand ${MARKUP}` },
    ],
  });
  await project.dir.write("leaks.txt", LEAKS);
  const run = await project.stream(`Read ${project.dir.join("leaks.txt")}\n${MARKUP}\n${LEAKS}`, ["--yolo"]);
  assert.equal(run.code, 0, run.stderr);
  return { project, id: run.session_id };
}

const KEY = { settings: { API_KEY: PLANTED["known"] ?? "" } };

function assertClean(text: string, what: string): void {
  for (const [name, secret] of Object.entries(PLANTED)) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), secret.slice(0, 14)]) {
      assert.ok(
        !text.includes(form),
        `${what} holds the planted secret "${name}": …${
          text.slice(text.indexOf(form) - 60, text.indexOf(form) + 40)
        }`,
      );
    }
  }
}

Deno.test("no planted secret survives a shared export in any format, nor a report", async (t) => {
  const { project, id } = await leakyProject();
  await using _ = project;
  const everything = ["--tools", "--thinking"];
  for (const format of ["md", "json", "html"]) {
    await t.step(format, async () => {
      const open = await project.run(["session", "export", id, "--format", format, ...everything], KEY);
      assert.equal(open.code, 0, open.stderr);
      for (const name of ["known", "aws", "pem", "named"]) {
        assert.ok(open.stdout.includes(PLANTED[name] ?? ""), `the plain export holds ${name}`);
      }
      const shared = await project.run([
        "session",
        "export",
        id,
        "--format",
        format,
        "--share",
        ...everything,
      ], KEY);
      assert.equal(shared.code, 0, shared.stderr);
      assertClean(shared.stdout, format);
      assert.match(shared.stderr, /^lumina: masked (\d+) secrets and \d+ personal names? or paths?: read it/);
      const masked = Number(/masked (\d+)/.exec(shared.stderr)?.[1]);
      assert.ok(
        masked >= 5 * Object.keys(PLANTED).length,
        `${masked} in prompt, thinking, input, result and answer`,
      );
    });
  }
  await t.step("report", async () => {
    for (const options of [[], ["--with-text"]]) {
      const report = await project.run(["session", "report", id, ...options], KEY);
      assert.equal(report.code, 0, report.stderr);
      assertClean(report.stdout, `report ${options}`);
    }
  });
});

Deno.test("session export writes what was said, tools and thinking when asked for, and never markup of the conversation as its own", async (t) => {
  await using project = await AgentProject.open({
    turns: [
      { thinking: "let me see", tool_calls: [{ name: "Read", input: { file_path: "note.md" } }] },
      { text: `A fence:\n\n${"```"}\ncode\n${"```"}\n${MARKUP} \u0000 \u2028 中文` },
    ],
  });
  await project.dir.write("note.md", `${"````"}\nfour\n${"````"}\n`);
  const run = await project.stream(`look <b>here</b>`);
  const id = run.session_id;
  const exported = async (...args: string[]) => {
    const result = await project.run(["session", "export", id, ...args]);
    assert.equal(result.code, 0, result.stderr);
    assert.equal(result.stderr, "");
    return result.stdout;
  };

  await t.step("json", async () => {
    const { format, version, session, messages } = JSON.parse(await exported("--format", "json"));
    assert.deepEqual([format, version, session.session_id, session.turns], ["lumina.session", 1, id, 2]);
    assert.deepEqual(messages.map((message: { role: string }) => message.role), ["user", "assistant"]);
    assert.equal(messages[0].text, "look <b>here</b>", "without the hidden context");
    assert.ok(messages[1].text.endsWith("\u0000 \u2028 中文"));
    const full = JSON.parse(await exported("--format", "json", "--tools", "--thinking"));
    assert.equal(full.messages[1].thinking, "let me see");
    assert.deepEqual(full.messages[1].tools[0].name, "Read");
    assert.match(full.messages[1].tools[0].result, /four/);
    assert.equal(full.messages[1].tools[0].failed, false);
  });

  await t.step("markdown", async () => {
    const plain = await exported();
    assert.match(plain, /^# look <b>here<\/b>\n/);
    assert.match(plain, /## User · #\d+ · \d{4}-.*\n\nlook <b>here<\/b>\n/);
    assert.ok(!plain.includes("let me see") && !plain.includes("four"));
    const full = await exported("--tools", "--thinking");
    assert.match(full, /\n`````text\n[^]*four[^]*\n`````\n/, "a fence longer than those inside");
  });

  await t.step("html", async () => {
    const html = await exported("--format", "html", "--tools", "--thinking");
    assert.ok(!/<script|<img|<b>here/.test(html) && !html.includes("\u0000"));
    assert.ok(html.includes("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert.ok(html.includes(`default-src 'none'; style-src 'unsafe-inline'`));
    assert.ok(html.includes("color-scheme: light dark"));
    assert.ok(!/(?:src|href)="(?!#)/.test(html), "nothing is loaded from elsewhere");
  });

  await t.step("a file is never replaced unasked; what cannot be is one line", async () => {
    const file = ["session", "export", id, "-o", "out.md"];
    assert.equal((await project.run(file)).code, 0);
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(project.dir.join("out.md"))).mode ?? 0) & 0o777, 0o600);
    }
    await project.dir.write("out.md", "mine");
    for (
      const [args, code, message] of [
        [file, 5, /out\.md exists already: .*--force/],
        [["session", "export", id, "-o", "no/such/out.md"], 4, /there is no folder no\/such/],
        [["session", "export", id, "-o", "."], 5, /it is a folder/],
        [["session", "export", id, "-o", ""], 2, /the file's name is empty/],
        [["session", "export", "no-such-session"], 4, /There is no session/],
        [["session", "export", id, "--format", "pdf"], 2, /md, json, html/],
        [["session", "export", id, "--mask-emails"], 2, /--mask-emails goes with --share/],
      ] as const
    ) {
      const result = await project.run(args);
      assert.equal(result.code, code, `${args}: ${result.stderr}`);
      assert.match(result.stderr, message);
      assert.equal(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
    }
    assert.equal(await project.dir.read("out.md"), "mine");
    assert.match((await project.run(["session", "export", id, "-o", "-"])).stdout, /^# look/);
    assert.equal((await project.run([...file, "--force"])).code, 0);
    assert.match(await project.dir.read("out.md"), /^# look/);
  });
});
