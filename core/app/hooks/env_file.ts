/** Names that change which programs or libraries run, also of commands that are known to read alone: no hook sets them. */
const LOOKUP = new RegExp(
  `^(?:${
    [
      "PATH|IFS|ENV|SHELL|HOME|CDPATH|GLOBIGNORE|SHELLOPTS|BASHOPTS|ZDOTDIR|PROMPT_COMMAND|PS4|BASH_.*|XDG_CONFIG_.*",
      "LD_.*|DYLD_.*|GCONV_PATH|GIT_.*|SSH_ASKPASS.*|LUMINA_.*|DENO_.*|NODE_(?:OPTIONS|PATH)|NPM_CONFIG_.*|RUBY(?:LIB|OPT)",
      "PYTHON(?:PATH|HOME|STARTUP|BREAKPOINT|INSPECT|PLATLIBDIR|PYCACHEPREFIX|USERBASE|WARNINGS)|PERL5?(?:LIB|OPT|DB)",
      "\\w*(?:PAGER|EDITOR)|VISUAL|BROWSER|LESS(?:OPEN|CLOSE|KEYIN|KEY)?|(?:RIPGREP|BAT)_CONFIG_(?:PATH|DIR)",
      "(?:TAR|GREP|ZIP)_OPTIONS|_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|RUST(?:C|DOC)(?:_.*)?|CARGO_.*|MAKEFLAGS|GOFLAGS",
    ].join("|")
  })$`,
  "i",
);

/** Bytes of variables that a hook may write. */
const MOST_BYTES = 64 * 1024;

/** What `readEnvFile` says of a file, which need not be there. What is no file, or too large for variables, sets none. */
export async function loadEnvFile(path: string): Promise<ReturnType<typeof readEnvFile>> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (isFile && size <= MOST_BYTES) return readEnvFile(await Deno.readTextFile(path));
    return { variables: {}, problems: ["they stand in no file of at most 64 KiB, so none is set"] };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { variables: {}, problems: [] };
    throw error;
  }
}

/**
 * The variables that a hook of SessionStart has written into the file of `CLAUDE_ENV_FILE`: lines `export NAME=value` or
 * `NAME=value`, the value as it stands or in one pair of quotes. Nothing of it is executed. Every other line, and a name
 * that changes which programs run, is a problem.
 */
export function readEnvFile(text: string): { variables: Record<string, string>; problems: string[] } {
  const variables: Record<string, string> = {};
  const problems: string[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const [, name = "", value = ""] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(trimmed) ?? [];
    const plain = /^'([^']*)'$/.exec(value)?.[1] ?? /^"([^"$`\\]*)"$/.exec(value)?.[1] ??
      /^[^\s"'$`\\;|&<>()]*$/.exec(value)?.[0];
    if (name === "") problems.push(`line ${index + 1} is no NAME=value`);
    else if (LOOKUP.test(name)) {
      problems.push(`${name} changes which programs run and cannot be set`);
    } else if (plain === undefined) {
      problems.push(`the value of ${name} is more than a plain text`);
    } else variables[name] = plain;
  });
  return { variables, problems };
}
