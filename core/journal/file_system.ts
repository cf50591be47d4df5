import { statfsSync } from "node:fs";

/** What is known of the file system that a path lies on. */
export interface FileSystem {
  /** Bytes that this user may still write. */
  free: number;
  /** Its whole size, bytes. */
  size: number;
  /** Name of its kind when other machines may write to it, or when locks and fsync may not reach its disk. */
  remote?: string;
}

/** Linux `statfs` types (https://man7.org/linux/man-pages/man2/statfs.2.html) of what is not a disk of this machine. */
const REMOTE = new Map<number, string>([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x564c, "NCP"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x65735546, "FUSE"],
]);

/** Looks at the file system of a path; undefined when the system does not tell. */
export function fileSystem(path: string): FileSystem | undefined {
  try {
    const { bavail, blocks, bsize, type } = statfsSync(path);
    const remote = Deno.build.os === "linux" ? remoteKind(type) : undefined;
    return { free: bavail * bsize, size: blocks * bsize, ...(remote === undefined ? {} : { remote }) };
  } catch {
    return undefined; // not told here, or not permitted: the disk itself says when it is full
  }
}

/** The name of a remote file system by its type, which some systems give as a signed number. */
export function remoteKind(type: number): string | undefined {
  return REMOTE.get(type >>> 0);
}
