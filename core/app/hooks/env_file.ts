/** Names that change which programs or libraries run: no hook sets them for commands. */
const LOOKUP =
  /^(?:PATH|IFS|ENV|SHELL|HOME|BASH_.*|LD_.*|DYLD_.*|GIT_.*|NODE_OPTIONS|PYTHON(?:PATH|HOME|STARTUP)|PERL5?(?:LIB|OPT)|RUBY(?:LIB|OPT)|LUMINA_.*|DENO_.*|PROMPT_COMMAND|PS4)$/;

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
