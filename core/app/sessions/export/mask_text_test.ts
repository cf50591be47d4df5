import assert from "node:assert/strict";
import { MASK, Masker } from "./mask_text.ts";
import type { MaskOptions } from "./mask_text.ts";

function mask(text: string, options: Partial<MaskOptions> = {}): string {
  return new Masker({ secrets: [], home: "/home/maria", user: "maria", emails: false, ...options }).text(
    text,
  );
}

const random = "q7Rt9zLm2Xc4Vb8Nw1";

/** Made up, in pieces, so that no scanner takes this file for a leak. */
const SECRETS: Record<string, string> = {
  "an AWS key id": "AKIA" + "IOSFODNN7EXAMPLE",
  "a GitHub token": "ghp_" + random + random,
  "a fine-grained GitHub token": "github_pat_" + random + "_" + random,
  "an OpenAI key": "sk-" + "proj-" + random + random,
  "an Anthropic key": "sk-ant-api03-" + random + "-" + random,
  "a Slack token": "xoxb-" + "123456789012-" + random,
  "a JSON Web Token": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0." + random,
  "a Google key": "AIza" + "SyD" + random + random.slice(0, 17),
  "a Stripe key": "sk_live_" + random + random,
  "an npm token": "npm_" + random + random,
  "a GitLab token": "glpat-" + random + "abc",
};

Deno.test("the forms of common tokens are masked wherever they stand", () => {
  for (const [what, secret] of Object.entries(SECRETS)) {
    for (
      const text of [
        secret,
        `"${secret}"`,
        `use ${secret}, then`,
        `x=${secret}`,
        `a\n${secret}\nb`,
        `(${secret})`,
      ]
    ) {
      assert.ok(!mask(text).includes(secret), `${what}: ${mask(text)}`);
      assert.ok(mask(text).includes(MASK));
    }
  }
});

Deno.test("private keys are masked: whole, in one line of JSON, cut off", () => {
  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
  const kind = "PRIVATE KEY";
  const pem = `-----BEGIN RSA ${kind}-----\n${body}\n${body}\n-----END RSA ${kind}-----`;
  for (
    const text of [
      pem,
      JSON.stringify({ pem }),
      pem.slice(0, 90),
      `-----BEGIN ${kind}-----\nProc-Type: 4,ENCRYPTED\n\n${body}`,
    ]
  ) {
    assert.ok(!mask(text).includes(body.slice(0, 12)), mask(text));
  }
  assert.equal(mask(`before\n${pem}\nafter`), `before\n${MASK}\nafter`);
});

Deno.test("what stands behind a secret's name is masked, in every way of writing it", () => {
  for (
    const text of [
      "password=hunter2",
      "DB_PASSWORD: hunter2",
      '{"password":"hunter2"}',
      '{\\"password\\": \\"hunter2\\"}',
      "passwd = 'hunter2'",
      "client_secret => hunter2",
      "mysql --password=hunter2 -u me",
      "Authorization: Bearer hunter2",
      "authorization: Basic hunter2",
      "curl -H 'Authorization: hunter2'",
      "Cookie: session=hunter2; other=hunter2",
      "https://me:hunter2@example.org/path",
      "postgres://hunter2@db/x",
      "redis://:hunter2@db",
    ]
  ) assert.ok(!mask(text).includes("hunter2"), mask(text));
  for (
    const name of [
      "api_key",
      "API-KEY",
      "access_token",
      "ACCESS_KEY",
      "secretKey",
      "X-Api-Key",
      "aws_access_key",
      "APP_KEY",
    ]
  ) {
    for (const between of ["=", ": ", '":"', "='"]) {
      assert.ok(
        !mask(`${name}${between}${random}`).includes(random),
        `${name}${between}: ${mask(`${name}${between}${random}`)}`,
      );
    }
  }
});

Deno.test("ordinary text and code stay as they are", () => {
  for (
    const text of [
      "The token is read by the parser; a key: the value of it. The password is asked for.",
      "const tokens: Token[] = lexer.tokens();",
      "max_tokens=4096, monkey: banana",
      "git clone https://example.org/repo.git && cd repo",
      "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      "/homework/maria2/x and mariachi",
      "task-force, risk-free and disk-usage",
    ]
  ) assert.equal(mask(text), text);
});

Deno.test("known secrets are masked in every form they travel in", () => {
  const secret = 'p@ss "word"/1';
  const options = { secrets: [secret, "abc"] };
  const bytes = new TextEncoder().encode(secret);
  for (
    const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify({ x: secret }),
      bytes.toBase64(),
      bytes.toHex(),
    ]
  ) {
    const text = mask(`it is ${form} here`, options);
    assert.ok(!text.includes(form.slice(0, 12)) || form.startsWith("{"), text);
    assert.ok(!text.includes("word"), text);
    assert.ok(text.includes(MASK));
  }
  assert.equal(mask("abc", options), "abc", "shorter than any key");
});

Deno.test("the home directory, user names and, when asked for, e-mail addresses are replaced", () => {
  assert.equal(mask("cd /home/maria/src && ls /home/maria"), "cd ~/src && ls ~");
  assert.equal(
    mask("/home/other/x, /Users/pat/y, C:\\Users\\Pat\\z"),
    "/home/<user>/x, /Users/<user>/y, C:\\Users\\<user>\\z",
  );
  assert.equal(mask("drwxr-xr-x 2 maria maria 4096"), "drwxr-xr-x 2 <user> <user> 4096");
  assert.equal(mask("the root of it", { home: "/root", user: "root" }), "the root of it");
  assert.equal(mask("cat /root/.bashrc", { home: "/root", user: "root" }), "cat ~/.bashrc");
  assert.equal(mask("mail pat@example.org"), "mail pat@example.org");
  assert.equal(mask("mail pat@example.org", { emails: true }), "mail <e-mail>");
  assert.equal(mask("npm:name@1.2.3", { emails: true }), "npm:name@1.2.3");
});

Deno.test("json() masks a text under a secret name as a whole, keeps numbers, and counts", () => {
  const masker = new Masker({ secrets: [], home: "/home/maria", user: "maria", emails: false });
  assert.deepEqual(
    masker.json({
      password: "two words",
      tokens: 5,
      nested: [{ api_key: "x" }],
      path: "/home/maria/a",
      token_count: null,
    }),
    { password: MASK, tokens: 5, nested: [{ api_key: MASK }], path: "~/a", token_count: null },
  );
  assert.deepEqual(masker.count, { secrets: 2, personal: 1 });
});

Deno.test("masking twice is masking once, and a text of a megabyte takes no time", () => {
  const text = Object.values(SECRETS).join(" password=x\n") + " /home/maria";
  assert.equal(mask(mask(text)), mask(text));
  for (
    const unit of [
      "a",
      "a.",
      "-----BEGIN PRIVATE KEY-----",
      "eyJaaaaaaaa.",
      "key",
      "http://",
      "x@",
      "token=",
      '\\"',
      " ",
    ]
  ) {
    const started = performance.now();
    mask(unit.repeat(Math.ceil(300_000 / unit.length)), { emails: true });
    const took = performance.now() - started;
    assert.ok(took < 3_000, `${JSON.stringify(unit)}: ${took} ms`);
  }
});
