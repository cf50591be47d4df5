import { isInside } from "../files/mod.ts";

/** Where a person's secrets lie. All folders are absolute. */
export interface SecretHomes {
  home: string;
  /** `XDG_CONFIG_HOME` and `XDG_DATA_HOME` where they are set; besides the usual folders below `home`. */
  config_home?: string;
  data_home?: string;
  os: "linux" | "darwin" | "other";
}

/** Keys, tokens, password stores and what was typed: files and folders below the home folder. */
const HOME = words(`
  .ssh .gnupg .pki .age .step .putty .vault-token
  .git-credentials .gcm
  .aws .azure .boto .kube .docker .oci .terraform.d/credentials.tfrc.json .terraformrc .pulumi/credentials.json .fly .vercel
  .netlify .railway .wrangler .supabase .bluemix .aliyun .s3cfg .mc .databrickscfg .snowflake
  .npmrc .yarnrc .yarnrc.yml .pypirc .pip/pip.conf .cargo/credentials .cargo/credentials.toml .gem/credentials .bundle/config
  .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json .nuget/NuGet/NuGet.Config
  .hex/hex.config .pub-cache/credentials.json .cache/huggingface/token .huggingface/token .kaggle .condarc
  .netrc .pgpass .my.cnf .mylogin.cnf .msmtprc .fetchmailrc .authinfo .authinfo.gpg
  .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json
  .mozilla .librewolf .waterfox .thunderbird .tor-browser
  .var/app/org.mozilla.firefox .var/app/org.mozilla.Thunderbird .var/app/com.google.Chrome .var/app/org.chromium.Chromium
  .var/app/com.brave.Browser .var/app/com.microsoft.Edge .var/app/com.vivaldi.Vivaldi .var/app/com.opera.Opera
  .var/app/org.keepassxc.KeePassXC .var/app/com.bitwarden.desktop
  snap/firefox snap/chromium snap/brave snap/opera snap/thunderbird snap/bitwarden snap/keepassxc
  .password-store .kde/share/apps/kwallet .op .lastpass
  .bash_history .zsh_history .zhistory .histfile .sh_history .ksh_history .python_history .node_repl_history .psql_history
  .mysql_history .sqlite_history .rediscli_history .irb_history .lesshst .viminfo
  .local/state/bash/history .local/state/zsh/history
`);

/** The same below `~/.config`, wherever that is. */
const CONFIG = words(`
  gh glab-cli hub tea git/credentials git-credential-manager age sops putty vault
  gcloud kube doctl hcloud linode-cli scw fly vercel netlify heroku railway wrangler .wrangler supabase firebase configstore rclone
  snowflake containers/auth.json helm/registry pypoetry/auth.toml pip/pip.conf composer/auth.json NuGet/NuGet.Config
  dart/pub-credentials.json huggingface github-copilot
  google-chrome google-chrome-beta google-chrome-unstable chromium BraveSoftware microsoft-edge microsoft-edge-dev
  microsoft-edge-beta vivaldi opera opera-beta Signal Slack discord Element
  op Bitwarden keepassxc KeePass 1Password lastpass gopass mutt fish/fish_history
`);

/** The same below `~/.local/share`, wherever that is. */
const DATA = words(`
  keyrings kwalletd lpass gopass com.vercel.cli heroku gem/credentials containers/auth.json torbrowser fish/fish_history
`);

/** On a Mac, below the home folder. */
const MAC = words(`
  Library/Keychains Library/Cookies Library/Safari Library/Mail Library/Messages Library/Containers/com.apple.Safari
  Library/Containers/com.bitwarden.desktop .zsh_sessions .bash_sessions
`).concat(
  words(`
    Google/Chrome Chromium Firefox BraveSoftware Vivaldi com.operasoftware.Opera Arc Thunderbird gcloud Bitwarden 1Password
    com.vercel.cli gh doctl Signal Slack discord
  `).map((name) => `Library/Application Support/${name}`),
  [
    "Library/Application Support/Microsoft Edge",
    "Library/Group Containers/2BUA8C4S2C.com.1password",
  ],
);

/** Names of files that hold keys or passwords wherever they lie. */
const SECRET_NAME =
  /^(\.env(\.(?!(example|sample|template|dist|defaults?)$).+)?|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|credentials(\.(json|csv|toml))?|service[-_]account.*\.json|secrets?\.(json|ya?ml|toml))$/i;

/** True of a file whose name says that it holds a secret. */
export function hasSecretName(path: string): boolean {
  return SECRET_NAME.test(path.slice(path.lastIndexOf("/") + 1));
}

/**
 * All places that a child process must not read unless they are granted: absolute paths that need not exist. A pure list; what
 * of it is there is for the caller to look up.
 */
export function secretPlaces({ home, config_home, data_home, os }: SecretHomes): string[] {
  const below = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}`);
  const folders = (usual: string, own: string | undefined) =>
    own === undefined || own === usual || !own.startsWith("/") ? [usual] : [usual, own.replace(/\/+$/, "")];
  return [
    ...below(home, HOME),
    ...folders(`${home}/.config`, config_home).flatMap((folder) => below(folder, CONFIG)),
    ...folders(`${home}/.local/share`, data_home).flatMap((folder) => below(folder, DATA)),
    ...(os === "darwin" ? below(home, MAC) : []),
  ];
}

/** The secret place that a path lies in, or is. */
export function secretPlaceOf(path: string, places: readonly string[]): string | undefined {
  return places.find((place) => isInside(place, path));
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
