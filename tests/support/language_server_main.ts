/**
 * A language server for tests: a line with BAD is an error, one with WARN a warning. Arguments: how it behaves (`push`, `pull`,
 * `crash` at the first file, `hang`) and a file that gets its process id and the names of its variables.
 */
const [manner, note] = Deno.args as [string, string];
await Deno.writeTextFile(
  note,
  JSON.stringify({ pid: Deno.pid, env: Object.keys(Deno.env.toObject()).sort() }),
);

interface Message {
  id?: number;
  method: string;
  params?: {
    textDocument?: { uri: string; text?: string; version?: number };
    contentChanges?: { text: string }[];
  };
}

const texts = new Map<string, string>();

function send(message: Record<string, unknown>): void {
  const body = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const head = new TextEncoder().encode(`Content-Length: ${body.length}\r\n\r\n`);
  Deno.stdout.writeSync(head);
  Deno.stdout.writeSync(body);
}

function diagnostics(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line, at) => {
    const severity = line.includes("BAD") ? 1 : line.includes("WARN") ? 2 : 4;
    const start = { line: at, character: 2 };
    return [{
      range: { start, end: start },
      severity,
      source: "test",
      code: severity,
      message: `see:\n${line}`,
    }];
  });
}

function take({ id, method, params }: Message): void {
  if (manner === "hang") return;
  if (method === "initialize") {
    send({ id: 900, method: "workspace/configuration", params: { items: [{}, {}] } });
    send({ id, result: { capabilities: manner === "pull" ? { diagnosticProvider: {} } : {} } });
  }
  if (method === "shutdown") send({ id, result: null });
  if (method === "exit") Deno.exit(0);
  const { uri, text, version } = params?.textDocument ?? { uri: "" };
  const whole = text ?? params?.contentChanges?.[0]?.text;
  if (whole !== undefined) {
    if (manner === "crash") Deno.exit(1);
    texts.set(uri, whole);
    if (manner === "push") {
      // in parts, as some do
      send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics: [] } });
      send({
        method: "textDocument/publishDiagnostics",
        params: { uri, version, diagnostics: diagnostics(whole) },
      });
    }
  }
  if (method === "textDocument/diagnostic") {
    send({ id, result: { kind: "full", items: diagnostics(texts.get(uri) ?? "") } });
  }
}

let held = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  held += chunk;
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n\r\n/.exec(held);
    if (head === null) break;
    const rest = new TextEncoder().encode(held.slice(head[0].length));
    const length = Number(head[1]);
    if (rest.length < length) break;
    held = new TextDecoder().decode(rest.slice(length));
    take(JSON.parse(new TextDecoder().decode(rest.slice(0, length))));
  }
}
