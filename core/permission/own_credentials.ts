import { matchCommand } from "./wildcard.ts";

/** Stands for Lumina's own folders, wherever they are. */
export const LUMINA_FOLDERS = "<lumina>";

/**
 * Which secrets belong to which program: a command that was agreed to may read the credentials it is there to use. Commands are
 * patterns as in rules on Bash; places stand below the home folder.
 */
const OWN: readonly (readonly [commands: string, places: string])[] = [
  [
    "git push *|git pull *|git fetch *|git clone *|git ls-remote *|git remote update *|git submodule update *",
    ".ssh .git-credentials .config/git/credentials .netrc .config/git-credential-manager .gcm .config/gh",
  ],
  ["git commit *|git tag *|git merge *|git rebase *|git cherry-pick *|git revert *|git am *", ".gnupg"],
  ["ssh *|scp *|sftp *|ssh-keygen *|ssh-add *|ssh-copy-id *|ssh-keyscan *|mosh *", ".ssh"],
  ["rsync *", ".ssh"],
  ["gpg *|gpg2 *", ".gnupg"],
  ["pass *", ".password-store .gnupg"],
  ["gh *", ".config/gh .git-credentials .ssh"],
  ["glab *", ".config/glab-cli .ssh"],
  ["curl --netrc *|curl -n *|wget *", ".netrc"],
  ["aws *|sam *|cdk *|eksctl *", ".aws"],
  ["az *", ".azure"],
  ["gcloud *|gsutil *|bq *", ".config/gcloud .boto"],
  ["kubectl *|k9s *|kubectx *|kubens *|kustomize *", ".kube .config/kube .aws .azure .config/gcloud"],
  ["helm *|helmfile *", ".kube .config/helm/registry .docker"],
  ["docker *|docker-compose *", ".docker"],
  ["podman *|buildah *|skopeo *", ".config/containers/auth.json .local/share/containers/auth.json .docker"],
  ["oci *", ".oci"],
  ["doctl *", ".config/doctl"],
  ["hcloud *", ".config/hcloud"],
  [
    "terraform *|tofu *|terragrunt *",
    ".terraform.d/credentials.tfrc.json .terraformrc .aws .azure .config/gcloud",
  ],
  ["pulumi *", ".pulumi/credentials.json .aws .azure .config/gcloud"],
  ["fly *|flyctl *", ".fly .config/fly"],
  ["vercel *", ".vercel .config/vercel .local/share/com.vercel.cli"],
  ["netlify *", ".netlify .config/netlify"],
  ["heroku *", ".config/heroku .local/share/heroku .netrc"],
  ["railway *", ".railway .config/railway"],
  ["wrangler *", ".wrangler .config/.wrangler .config/wrangler"],
  ["supabase *", ".supabase .config/supabase"],
  ["firebase *", ".config/configstore .config/firebase"],
  ["rclone *", ".config/rclone"],
  ["s3cmd *", ".s3cfg"],
  ["vault *", ".vault-token .config/vault"],
  ["sops *|age *", ".config/sops .age .config/age .gnupg"],
  [
    [
      "npm install *|npm i *|npm ci *|npm add *|npm update *|npm publish *|npm view *|npm info *|npm outdated *|npm audit *",
      "npm login *|npm logout *|npm whoami *|npm config *|npm access *|npm dist-tag *|npm search *|npm token *|npm owner *",
      "pnpm install *|pnpm i *|pnpm add *|pnpm update *|pnpm publish *|pnpm outdated *|pnpm audit *|pnpm fetch *",
      "bun install *|bun i *|bun add *|bun update *|bun publish *",
    ].join("|"),
    ".npmrc",
  ],
  [
    "yarn|yarn install *|yarn add *|yarn up *|yarn upgrade *|yarn npm *|yarn publish *|yarn outdated *",
    ".npmrc .yarnrc .yarnrc.yml",
  ],
  ["cargo publish *|cargo login *|cargo owner *|cargo yank *", ".cargo/credentials .cargo/credentials.toml"],
  [
    "pip install *|pip3 install *|pip download *|pip3 download *|python -m pip *|python3 -m pip *|uv *",
    ".config/pip/pip.conf .pip/pip.conf .netrc",
  ],
  ["twine *", ".pypirc"],
  ["poetry publish *|poetry install *|poetry add *|poetry config *", ".config/pypoetry/auth.toml"],
  ["gem push *|gem signin *", ".gem/credentials .local/share/gem/credentials"],
  ["bundle install *|bundle update *|bundle config *", ".bundle/config"],
  ["mvn *|./mvnw *", ".m2/settings.xml .m2/settings-security.xml"],
  ["gradle *|./gradlew *", ".gradle/gradle.properties"],
  [
    "composer install *|composer update *|composer require *",
    ".composer/auth.json .config/composer/auth.json",
  ],
  ["dotnet *|nuget *", ".nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config"],
  ["mix hex.*|mix deps.get *", ".hex/hex.config"],
  ["conda *|mamba *", ".condarc"],
  ["huggingface-cli *|hf *", ".cache/huggingface/token .huggingface/token .config/huggingface"],
  ["kaggle *", ".kaggle"],
  ["psql *|pg_dump *|pg_restore *|createdb *|dropdb *", ".pgpass"],
  ["mysql *|mysqldump *", ".my.cnf .mylogin.cnf"],
  ["claude *", ".claude/.credentials.json"],
  ["codex *", ".codex/auth.json"],
  ["op *", ".config/op .op"],
  ["lumina *", LUMINA_FOLDERS],
];

/** Commands that may stand beside one with credentials of its own: they start nothing that the repository brings. */
const BESIDE =
  "git *|mkdir *|cp *|mv *|ln *|touch *|chmod *|rm *|rmdir *|cd *|pushd *|popd *|export *|set *|sleep *";

const own = byProgram(OWN.flatMap(([commands, places]) => {
  const list = places.split(" ");
  return commands.split("|").flatMap((command) => {
    // git takes options in front of its subcommand
    const spelled = command.startsWith("git ") ? [command, `git -C * ${command.slice(4)}`] : [command];
    return spelled.map((pattern) => [pattern, list] as const);
  });
}));
const beside = byProgram(BESIDE.split("|").map((pattern) => [pattern, true] as const));

/** The places below the home folder with the own credentials of a command; undefined for a program without any. */
export function ownCredentials(lines: readonly string[]): string[] | undefined {
  const found = hits(own, lines);
  return found.length === 0 ? undefined : [...new Set(found.flat())];
}

/** True of a command that starts no other program and so may share the secrets of its neighbour in the line. */
export function sharesCredentials(lines: readonly string[]): boolean {
  return hits(beside, lines).length > 0;
}

/** Programs that find their way through a proxy, so that the listed domains are within their reach. */
const PROXIED =
  "curl *|wget *|aria2c *|http *|https *|xh *|npm *|pnpm *|yarn|yarn *|bun *|npx *|bunx *|pip *|pip3 *|uv *|uvx *|pipx *|poetry *|" +
  "cargo *|go *|gem *|bundle *|composer *|deno *|git clone *|git fetch *|git pull *|git ls-remote *|git submodule *";
const proxied = byProgram(PROXIED.split("|").map((pattern) => [pattern, true] as const));

/** True of a command that reaches hosts through a proxy. */
export function usesProxy(lines: readonly string[]): boolean {
  return hits(proxied, lines).length > 0;
}

/** Patterns by the first word of the commands that they can match: a line is held against few of them. */
function byProgram<T>(list: readonly (readonly [pattern: string, value: T])[]): Map<string, [string, T][]> {
  const map = new Map<string, [string, T][]>();
  for (const [pattern, value] of list) {
    const program = firstWord(pattern);
    const own = map.get(program) ?? [];
    own.push([pattern, value]);
    map.set(program, own);
  }
  return map;
}

function hits<T>(map: ReadonlyMap<string, [string, T][]>, lines: readonly string[]): T[] {
  return lines.flatMap((line) =>
    (map.get(firstWord(line)) ?? []).filter(([pattern]) => matchCommand(pattern, line) === "yes")
      .map(([, value]) => value)
  );
}

function firstWord(line: string): string {
  const blank = line.indexOf(" ");
  return blank < 0 ? line : line.slice(0, blank);
}
