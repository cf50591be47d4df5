/**
 * Makes a folder and its missing parents with mode 0700, and takes group and world bits from the folder itself when it
 * was there already. Throws what the file system throws.
 */
export function makePrivateDirectory(path: string): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  tightenMode(path);
}

/** Takes the group's and the world's rights from a file or folder that has some. Windows keeps its ACLs. */
export function tightenMode(path: string): void {
  if (Deno.build.os === "windows") return;
  const mode = Deno.statSync(path).mode ?? 0;
  if ((mode & 0o077) !== 0) Deno.chmodSync(path, mode & 0o700);
}
