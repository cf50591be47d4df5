import { dirname } from "node:path";
import { absolutePath, isInside, resolvePath } from "../../files/mod.ts";
import type { Command } from "./command.ts";
import { expandGlob } from "./expand_glob.ts";
import { baseName } from "./program_name.ts";
import { knownPrefix, knownTexts, literal } from "./word.ts";
import type { Word } from "./word.ts";

/** Places that no command may destroy. */
export interface CriticalPlaces {
  workspace: string;
  home: string;
}

/** Folders of the system; they and all above the home and the workspace are critical. */
const SYSTEM = new Set(
  ("/ /bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var /Applications /Library " +
    "/System /Users /Volumes /private /mnt /media /usr/bin /usr/lib /usr/local /var/lib").split(" "),
);

/** What a destroying command would hit. */
export interface Danger {
  /** It would destroy a critical place. */
  certain?: string;
  /** It may, which is known only when the line runs. */
  possible?: string;
}

/**
 * Judges commands that destroy whole folders, file systems or devices, whatever the order and spelling of their options.
 * Rules cannot allow what is certain here; a person does it by hand.
 */
export function findDanger(command: Command, places: CriticalPlaces): Danger {
  const { words } = command;
  const name = baseName(literal(words[0]) ?? "");
  const device = command.redirects.find(({ access, target }) =>
    access === "write" && isDevice(literal(target))
  );
  if (device !== undefined) return { certain: `it writes to the device ${device.target.raw}` };
  switch (name) {
    case "rm":
    case "srm":
      return hasOption(words, "rR", "recursive") ? targets(command, words.slice(1), places, "deletes") : {};
    case "mv": {
      const into = words.some((word) => /^(-[a-zA-Z]*t|--t)/.test(literal(word) ?? ""));
      const moved = into ? words.slice(1) : words.slice(1, -1);
      const device = deviceAmong(words.slice(1));
      return device ?? targets(command, moved, places, "moves");
    }
    case "rsync":
      return words.some((word) => literal(word)?.startsWith("--del") === true)
        ? targets(command, words.slice(-1), places, "deletes what it does not bring to")
        : {};
    case "chmod":
    case "chown":
    case "chgrp":
    case "chattr":
    case "setfacl":
      return hasOption(words, "R", "recursive")
        ? targets(command, words.slice(2), places, "changes everything in", true)
        : {};
    case "find":
      return findDeletes(command, places);
    case "dd":
      return words.some((word) => isDevice(/^of=(.*)$/.exec(literal(word) ?? "")?.[1]))
        ? { certain: "it writes to a device" }
        : {};
    case "kill":
      return words.slice(2).some((word) => literal(word) === "-1") &&
          literal(words[1])?.startsWith("-") === true
        ? { certain: "it ends every process" }
        : {};
    default:
      return OVERWRITES.test(name) &&
          !words.some((word) => /^(-l|--list|-p|--print|print)$/.test(literal(word) ?? ""))
        ? deviceAmong(words.slice(1)) ?? {}
        : {};
  }
}

/** Programs that write to the devices which their words name. */
const OVERWRITES =
  /^(mkfs(\..*)?|mke2fs|mkntfs|mkdosfs|mkswap|wipefs|shred|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|blkdiscard|ddrescue|dcfldd|tee|cp|truncate|install|sponge)$/;

function deviceAmong(words: readonly Word[]): Danger | undefined {
  const device = words.find((word) => isDevice(literal(word)));
  return device === undefined ? undefined : { certain: `it overwrites the device ${device.raw}` };
}

/** A function that starts itself twice and in the background. */
export function isForkBomb(text: string): boolean {
  return /([\w:.]+)\s*\(\s*\)\s*\{[^}]*?(?<![\w])\1\s*\|\s*\1\s*&/.test(text);
}

function isDevice(text: string | undefined): boolean {
  return text !== undefined &&
    /^\/(dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|md\d|loop\d|mem$|kmem$|port$)|proc\/sysrq-trigger$|proc\/sys\/kernel\/core_pattern$)/
      .test(text);
}

/** True for a short option among `letters`, merged or not, or a long one that GNU programs take for `long`. */
function hasOption(words: readonly Word[], letters: string, long: string): boolean {
  return words.some((word) => {
    const text = literal(word) ?? knownPrefix(word);
    if (text.startsWith("--")) return text.length > 2 && `--${long}`.startsWith(text);
    return text.startsWith("-") && [...letters].some((letter) => text.includes(letter));
  });
}

function targets(
  command: Command,
  words: readonly Word[],
  places: CriticalPlaces,
  does: string,
  system_only = false,
): Danger {
  let possible: string | undefined;
  for (const word of words) {
    if (literal(word)?.startsWith("-") === true && literal(word) !== "-") continue;
    const hit = hits(command, word, places, system_only);
    if (hit === "certain") return { certain: `it ${does} ${word.raw}` };
    if (hit === "possible") possible = `${word.raw} is known only when the line runs, and it ${does} it`;
  }
  return possible === undefined ? {} : { possible };
}

function hits(
  { scope }: Command,
  word: Word,
  places: CriticalPlaces,
  system_only: boolean,
): "certain" | "possible" | undefined {
  // `x/*` and `x/.*` are all there is in x
  const bare = word.parts.map((part) =>
    part.kind === "text"
      ? part.text
      : part.kind === "glob"
      ? `\0${part.text}`
      : part.values?.length === 1
      ? part.values[0]
      : "\uE000"
  ).join("");
  const all = /^(.*?)(\/?)(?:\0\*|\.\0\*|\0\*\.\0\*|\.\[!\.\]\0\*)$/s.exec(bare);
  const texts = all !== null && (all[1] === "" || all[2] === "/") && !/[\0\uE000]/.test(all[1] ?? "")
    ? [all[1] === "" ? (all[2] === "/" ? "/" : ".") : all[1] ?? "."]
    : knownTexts(word);
  if (texts === undefined) {
    // a wildcard names what lies on the disk now
    for (const cwd of word.parts.some((part) => part.kind === "glob") ? scope.cwds ?? [] : []) {
      const found = expandGlob(word, cwd) ?? [];
      if (found.some((text) => isCritical(text, cwd, places, system_only))) return "certain";
    }
    // what is known only when the line runs may be nothing at all
    const emptied = word.parts.map((part) => part.kind === "text" ? part.text : "").join("");
    const holes = word.parts.some((part) => part.kind === "hole");
    if (
      holes && emptied !== "" &&
      (scope.cwds ?? []).some((cwd) => isCritical(emptied, cwd, places, system_only))
    ) {
      return "possible";
    }
    // behind a known folder it names things inside it; anything else may be any place
    const known = knownPrefix(word);
    if (word.parts.some((part) => part.kind === "hole")) {
      return known.includes("/") || system_only ? undefined : "possible";
    }
    return undefined;
  }
  for (const text of texts) {
    if (text === "") continue;
    const cwds = scope.cwds ?? (text.startsWith("/") ? ["/"] : undefined);
    if (cwds === undefined) return "possible";
    for (const cwd of cwds) {
      if (isCritical(text, cwd, places, system_only)) return "certain";
    }
  }
  return undefined;
}

function isCritical(text: string, cwd: string, places: CriticalPlaces, system_only: boolean): boolean {
  const { workspace, home } = places;
  let path: string;
  try {
    // rm takes a link itself, not what it points to; a slash behind it follows
    path = resolvePath(absolutePath(text, { cwd, home }), { cwd, home });
  } catch {
    return false; // a loop of links: there is nothing to destroy behind it
  }
  if (SYSTEM.has(path) || path === home || isInside(path, home)) return true;
  if (system_only) return false;
  return path === workspace || isInside(path, workspace) || path === `${workspace}/.git` ||
    (path.endsWith("/.git") && isInside(workspace, dirname(path)));
}

/** `find / -delete`: a critical start and no test that narrows what is found. */
function findDeletes(command: Command, places: CriticalPlaces): Danger {
  const { words } = command;
  const deletes = words.some((word, at) =>
    literal(word) === "-delete" ||
    (/^-(exec|execdir|ok|okdir)$/.test(literal(word) ?? "") &&
      /^(rm|shred|unlink|srm)$/.test(baseName(literal(words[at + 1]) ?? "")))
  );
  if (!deletes) return {};
  const narrowed = words.some((word) =>
    /^-(i?name|i?path|i?regex|newer.*|[mac](time|min)|size|empty|user|perm|inum|samefile)$/.test(
      literal(word) ?? "",
    )
  );
  const first = words.findIndex((word, at) => at > 0 && /^[-(!]/.test(literal(word) ?? ""));
  const starts = words.slice(1, first === -1 ? undefined : first);
  for (const start of starts) {
    if (hits(command, start, places, narrowed) === "certain") {
      return { certain: `it deletes what it finds in ${start.raw}` };
    }
  }
  if (starts.length === 0 && !narrowed && command.scope.cwds?.includes(places.workspace) === true) {
    return { certain: "it deletes all of the workspace" };
  }
  return {};
}
