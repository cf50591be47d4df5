import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom/worker";
import TurndownService from "turndown";
import type { DomDocument, DomElement } from "./dom.ts";

/** What is worth reading of an HTML page. */
export interface PageText {
  title: string;
  /** Markdown; links are absolute. */
  text: string;
  excerpt?: string;
  byline?: string;
  site_name?: string;
  published_at?: string;
}

/** Never text of a page, or nothing that a reader sees. */
const DROPPED =
  "script, style, noscript, template, svg, iframe, object, embed, canvas, dialog, [hidden], [aria-hidden='true']";
const HIDING = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px)?\s*(?:;|$))/i;
/** An article with less than this share of the page's text is not what the page is about. */
const LEAST_SHARE = 0.25;
const LEAST_CHARS = 200;

/**
 * The article of a page as Markdown, or all of its body where no part of it is the article. What a reader does not see
 * (scripts, hidden elements, comments) is left out. `url` is where the page came from.
 */
export function pageText(html: string, url: string): PageText {
  const document = parsed(html);
  const meta = metadata(document);
  clean(document, url);
  const whole = plainText(document.body ?? document.documentElement);
  // Readability takes its document apart
  const article = new Readability(document as never, { keepClasses: true, charThreshold: LEAST_CHARS })
    .parse();
  const enough = Math.max(LEAST_CHARS, whole.length * LEAST_SHARE);
  const taken = article?.content != null && (article.textContent ?? "").trim().length >= enough;
  let source: DomElement;
  if (taken) source = parsed(`<!doctype html><html><body>${article.content}</body></html>`).body;
  else {
    const again = parsed(html);
    clean(again, url);
    source = again.body ?? again.documentElement;
  }
  const title = [article?.title, meta.title].find((text) => text != null && text.trim() !== "") ?? "";
  return {
    title: oneLine(title),
    text: markdown(source),
    ...given("excerpt", meta.excerpt ?? article?.excerpt),
    ...given("byline", article?.byline ?? meta.byline),
    ...given("site_name", article?.siteName ?? meta.site_name),
    ...given("published_at", article?.publishedTime ?? meta.published_at),
  };
}

/** A document of any text; one without `<html>` gets it. */
export function parsed(html: string): DomDocument {
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  return (parseHTML(whole) as unknown as { document: DomDocument }).document;
}

/** Text of an element on one line. */
export function plainText(element: DomElement | null | undefined): string {
  return oneLine(element?.textContent ?? "");
}

function metadata(document: DomDocument) {
  const of = (...names: string[]): string | undefined => {
    for (const name of names) {
      const found = document.querySelector(`meta[property="${name}"], meta[name="${name}"]`);
      const text = found?.getAttribute("content")?.trim();
      if (text) return text;
    }
    return undefined;
  };
  return {
    title: plainText(document.querySelector("title")) || of("og:title"),
    excerpt: of("og:description", "description"),
    byline: of("author"),
    site_name: of("og:site_name"),
    published_at: of("article:published_time", "date", "dc.date"),
  };
}

/** Takes away what nobody sees and makes links absolute. */
function clean(document: DomDocument, url: string): void {
  for (const element of [...document.querySelectorAll(DROPPED)]) element.remove();
  for (const element of [...document.querySelectorAll("[style]")]) {
    if (HIDING.test(element.getAttribute("style") ?? "")) element.remove();
  }
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)?.href ?? url;
  for (const link of [...document.querySelectorAll("a[href]")]) {
    const to = URL.parse(link.getAttribute("href") ?? "", base);
    if (to !== null && /^(https?|mailto):$/.test(to.protocol)) link.setAttribute("href", to.href);
    else link.removeAttribute("href");
  }
  for (const image of [...document.querySelectorAll("img")]) {
    const to = URL.parse(image.getAttribute("src") ?? "", base);
    if (to !== null && /^https?:$/.test(to.protocol)) image.setAttribute("src", to.href);
    else image.remove();
  }
}

function markdown(element: DomElement): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  service.addRule("code", {
    filter: (node) => node.nodeName === "PRE",
    replacement: (_content, node) => {
      const element = node as unknown as DomElement;
      const classes = `${element.getAttribute("class") ?? ""} ${
        element.firstElementChild?.getAttribute("class") ?? ""
      }`;
      const language = /\b(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? "";
      const text = (element.textContent ?? "").replace(/\n+$/, "");
      const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
      const fence = "`".repeat(longest + 1);
      return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
    },
  });
  service.addRule("cell", {
    filter: ["th", "td"],
    replacement: (content) => ` ${content.trim().replace(/\s*\n+\s*/g, " ").replaceAll("|", "\\|")} |`,
  });
  service.addRule("row", {
    filter: "tr",
    replacement: (content, node) => {
      const row = node as unknown as DomElement;
      const first = row.closest("table")?.querySelector("tr") === row;
      const line = `\n|${content.replace(/\n/g, "")}`;
      return first ? `${line}\n|${" --- |".repeat(row.children.length)}` : line;
    },
  });
  service.addRule("table", {
    filter: "table",
    replacement: (content) => `\n\n${content.replace(/\n{2,}/g, "\n").trim()}\n\n`,
  });
  service.addRule("section", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  return service.turndown(element as never).replace(/[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n").trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function given<K extends string>(name: K, value: string | null | undefined): { [P in K]?: string } {
  const text = oneLine(value ?? "").slice(0, 500);
  return (text === "" ? {} : { [name]: text }) as { [P in K]?: string };
}
