import { join } from "node:path";
import { EXIT } from "../../base/mod.ts";
import { PackProblem } from "./pack_problem.ts";

/** Where npm packages come from: variables first, then the user's `.npmrc`. A project's own `.npmrc` never counts. */
export interface NpmConfig {
  /** The registry of a package, with `/` at its end. */
  registryOf(name: string): URL;
  /** The `Authorization` of requests to a URL: that of the longest matching entry of `.npmrc`, for its own host only. */
  authorization(url: URL): string | undefined;
}

const PUBLIC = "https://registry.npmjs.org/";

/** Reads npm's settings. Throws `PackProblem` for a registry that is no http or https address. */
export function readNpmConfig(env: { get(name: string): string | undefined }, home: string): NpmConfig {
  const file = env.get("NPM_CONFIG_USERCONFIG") ?? env.get("npm_config_userconfig") ?? join(home, ".npmrc");
  const values = parseNpmrc(readText(file), env);
  const given = env.get("NPM_CONFIG_REGISTRY") ?? env.get("npm_config_registry") ?? values.get("registry");
  return {
    registryOf(name) {
      const scope = name.startsWith("@") ? name.slice(0, name.indexOf("/")) : undefined;
      const own = scope === undefined ? undefined : values.get(`${scope}:registry`);
      return registryUrl(own ?? given ?? PUBLIC);
    },
    authorization(url) {
      for (let path = url.pathname;; path = path.slice(0, -1).replace(/[^/]*$/, "")) {
        const key = `//${url.host}${path.endsWith("/") ? path : `${path}/`}`;
        const token = values.get(`${key}:_authToken`);
        if (token !== undefined) return `Bearer ${token}`;
        const basic = values.get(`${key}:_auth`);
        if (basic !== undefined) return `Basic ${basic}`;
        if (path === "/" || path === "") return undefined;
      }
    },
  };
}

function registryUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    const shown = text.replace(/\/\/[^/@]*@/, "//…@");
    throw new PackProblem(
      `the registry ${shown} is no plain http or https address (NPM_CONFIG_REGISTRY, or registry in .npmrc)`,
      { code: "plugin.source", exit: EXIT.usage },
    );
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** `key = value` lines; `${NAME}` stands for a variable, as in npm. */
function parseNpmrc(text: string, env: { get(name: string): string | undefined }): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] = /^\s*([^=;#\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const plain = value.replace(/^(["'])(.*)\1$/, "$2");
    values.set(key, plain.replace(/\$\{([^}]+)\}/g, (whole, name) => env.get(name) ?? whole));
  }
  return values;
}

function readText(file: string): string {
  try {
    return Deno.readTextFileSync(file);
  } catch {
    return ""; // the usual case; npm itself goes on without it too
  }
}
