import { errorMessage, LuminaError } from "../base/mod.ts";

/** Codes of the errors that the file functions of this module throw. */
export type FileErrorCode =
  | "files.not_found"
  | "files.is_directory"
  | "files.not_directory"
  | "files.special"
  | "files.moved"
  | "files.changed"
  | "files.exists"
  | "files.linked"
  | "files.too_large"
  | "files.unreadable"
  | "files.no_space"
  | "files.failed";

const BY_SYSTEM_CODE: Readonly<Record<string, readonly [FileErrorCode, string]>> = {
  ENOENT: ["files.not_found", "it does not exist"],
  ENOTDIR: ["files.not_directory", "a part of the path is not a directory"],
  EISDIR: ["files.is_directory", "it is a directory"],
  EEXIST: ["files.exists", "it exists already"],
  EACCES: ["files.unreadable", "permission denied by the file system; check its owner and mode"],
  EPERM: ["files.unreadable", "operation not permitted by the file system"],
  EROFS: ["files.unreadable", "the file system is read-only"],
  ELOOP: ["files.failed", "its links go round in a circle"],
  ENAMETOOLONG: ["files.failed", "the name is too long"],
  ENOSPC: ["files.no_space", "no space left on the disk"],
  EDQUOT: ["files.no_space", "the disk quota is used up"],
  EFBIG: ["files.no_space", "the file would be larger than allowed"],
  ENXIO: ["files.special", "it is a device or pipe that cannot be opened"],
  EIO: ["files.failed", "the disk reports an input/output error"],
};
const BY_NAME: Readonly<Record<string, string>> = {
  NotFound: "ENOENT",
  NotADirectory: "ENOTDIR",
  IsADirectory: "EISDIR",
  AlreadyExists: "EEXIST",
  PermissionDenied: "EACCES",
  FilesystemLoop: "ELOOP",
};

/** What the file system threw as one line: `Cannot read "a.txt": it does not exist`. A LuminaError stays as it is. */
export function fileError(action: string, path: string, cause: unknown): LuminaError {
  if (cause instanceof LuminaError) return cause;
  if (cause instanceof Error && cause.name === "NotCapable") {
    const message = `Cannot ${action} "${path}": it is outside what this run may touch`;
    return new LuminaError("files.unreadable", message, { cause });
  }
  const code = systemCode(cause);
  const [name, words] = BY_SYSTEM_CODE[code] ?? ["files.failed", errorMessage(cause)];
  return new LuminaError(name, `Cannot ${action} "${path}": ${words}`, { cause });
}

/** `ENOENT` and the like from an error of Deno or node; an empty text when it has none. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return BY_NAME[error.name] ?? "";
}

/** The code of an error that `fileError` made, null for any other. */
export function fileErrorCode(error: unknown): string | null {
  return error instanceof LuminaError && error.code.startsWith("files.") ? error.code : null;
}
