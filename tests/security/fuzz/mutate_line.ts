import type { Random } from "./random.ts";

const TOKEN =
  /\s+|'[^']*'|"(?:[^"\\]|\\.)*"|\$\(|\$\{|&&|\|\||;;|<<<|<<-?|>>|>&|<\(|>\(|[A-Za-z0-9_./~=:,@%+-]+|./gs;
const SIGNS =
  ("; & | && || ( ) { } $( ` ' \" \\ > >> < << <<< ! # * ? [ ] ~ = $ ${ } \n -- - -o -i -e -f -x --output=made_new " +
    "--ou made_new made_new >made_new touch\\ made_new link_out ../outside/secret.txt $x $f @ , /dev/null 2>&1 -exec {} + \\; :")
    .split(/ /);

/** A line with one to four small changes: tokens swapped, put in, taken out, doubled, taken over from another line. */
export function mutateLine(random: Random, line: string, others: readonly string[]): string {
  let tokens: string[] = line.match(TOKEN) ?? [line];
  // as it stands, too: what is known to read is to be executed as well
  const changes = random.choose([2, () => 0], [5, () => 1], [3, () => 2], [1, () => 4]);
  for (let change = 0; change < changes && tokens.length > 0; change++) {
    const at = random.below(tokens.length);
    tokens = random.choose(
      [3, () => swapped(tokens, at, random.below(tokens.length))],
      [4, () => [...tokens.slice(0, at), ...inserted(random, others), ...tokens.slice(at)]],
      [3, () => [...tokens.slice(0, at), ...tokens.slice(at + 1)]],
      [1, () => [...tokens.slice(0, at), tokens[at] ?? "", ...tokens.slice(at)]],
      [2, () => spliced(random, tokens, at, others)],
      [2, () => [...tokens.slice(0, at), changed(random, tokens[at] ?? ""), ...tokens.slice(at + 1)]],
    );
  }
  return tokens.join("");
}

function swapped(tokens: readonly string[], one: number, other: number): string[] {
  const result = [...tokens];
  [result[one], result[other]] = [tokens[other] ?? "", tokens[one] ?? ""];
  return result;
}

function tokensOf(random: Random, lines: readonly string[]): string[] {
  return lines.length === 0 ? [random.pick(SIGNS)] : random.pick(lines).match(TOKEN) ?? [""];
}

function inserted(random: Random, others: readonly string[]): string[] {
  const token = random.chance(0.5) ? random.pick(SIGNS) : random.pick(tokensOf(random, others));
  return random.chance(0.6) ? [" ", token, " "] : [token];
}

function spliced(random: Random, tokens: readonly string[], at: number, others: readonly string[]): string[] {
  const other = tokensOf(random, others);
  return [...tokens.slice(0, at), ...other.slice(random.below(other.length))];
}

/** One character of a token another, gone or doubled, or the token cut. */
function changed(random: Random, token: string): string {
  const at = random.below(Math.max(1, token.length));
  const char = String.fromCharCode(32 + random.below(95));
  return random.choose(
    [2, () => token.slice(0, at) + char + token.slice(at + 1)],
    [2, () => token.slice(0, at) + char + token.slice(at)],
    [1, () => token.slice(0, at) + token.slice(at + 1)],
    [1, () => token.slice(0, at)],
    [1, () => `${token.slice(0, at)}""${token.slice(at)}`],
    [1, () => `${token.slice(0, at)}\\${token.slice(at)}`],
  );
}
