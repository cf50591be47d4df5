import type { Transcript, TranscriptCall, TranscriptMessage } from "./transcript.ts";

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dbe0, #3a3f46); --soft: light-dark(#f5f6f8, #1e2126);
  --user: light-dark(#eef4ff, #1b2638); --dim: light-dark(#5b6470, #9aa4b0); }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } dl { color: var(--dim); display: grid; gap: .1rem 1rem;
  grid-template-columns: max-content 1fr; font-size: .9rem; } dd { margin: 0; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: .6rem; margin: 1rem 0; padding: .6rem 1rem; }
article.user { background: var(--user); } article > header { color: var(--dim); font-size: .85rem; }
article > header b { color: CanvasText; } article > header a { color: inherit; text-decoration: none; }
.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; } .text { margin: .4rem 0; }
pre { background: var(--soft); border-radius: .4rem; font: 13px/1.45 ui-monospace, monospace; margin: .4rem 0;
  max-height: 30rem; overflow: auto; padding: .6rem .8rem; }
details { border-top: 1px dashed var(--line); margin: .4rem 0; padding-top: .4rem; }
summary { color: var(--dim); cursor: pointer; font-size: .9rem; } .failed { color: light-dark(#b3261e, #ff8a80); }
`;

/** `--format html`: one file that needs nothing else and runs nothing; every text is shown as it is. */
export function htmlExport({ session, messages }: Transcript): string {
  const title = session.title || "Session";
  const facts: [string, string][] = [
    ["session", session.session_id],
    ["directory", session.cwd],
    ["model", session.model],
    ["from", session.created],
    ["to", session.updated],
  ];
  return `<!doctype html>
<html lang="">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1 dir="auto">${escaped(title)}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join("")}</dl>
<main>
${messages.map(article).join("\n")}
</main>
</body>
</html>
`;
}

function article({ number, role, time, text, thinking, tools }: TranscriptMessage): string {
  const parts = [
    `<header><b>${
      role === "user" ? "User" : "Assistant"
    }</b> <a href="#m${number}">#${number}</a> <time datetime="${time}">${time}</time></header>`,
  ];
  if (thinking !== undefined) {
    parts.push(`<details><summary>Thinking</summary><pre dir="auto">${escaped(thinking)}</pre></details>`);
  }
  if (text.trim() !== "") parts.push(`<div class="text" dir="auto">${escaped(text.trimEnd())}</div>`);
  for (const call of tools ?? []) parts.push(details(call));
  return `<article class="${role}" id="m${number}">${parts.join("")}</article>`;
}

function details({ name, input, result, failed }: TranscriptCall): string {
  const outcome = result === null ? "<p>No result.</p>" : `<pre dir="auto">${escaped(result)}</pre>`;
  const mark = failed ? ' <span class="failed">failed</span>' : "";
  return `<details><summary>${escaped(name)}${mark}</summary><pre>${
    escaped(JSON.stringify(input, null, 2))
  }</pre>${outcome}</details>`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text that cannot leave its place: markup escaped, controls that HTML does not allow shown as pictures. */
function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
    // deno-lint-ignore no-control-regex -- controls are what is looked for
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(/[\x7f-\x9f]/g, "\ufffd");
}
