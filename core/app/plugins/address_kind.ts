import { isIP } from "node:net";

/**
 * What an IP address is of: `public` may be reached, `private` (loopback, private networks, shared address space) only
 * where a person named the very host, `closed` never: link-local with the metadata services of clouds, unspecified,
 * multicast, documentation and reserved ranges.
 */
export type AddressKind = "public" | "private" | "closed";

/** Ranges of IPv4 that are not public, from the IANA registry of special addresses (RFC 6890 and its successors). */
const V4: readonly (readonly [string, number, "private" | "closed"])[] = [
  ["0.0.0.0", 8, "closed"],
  ["10.0.0.0", 8, "private"],
  ["100.100.100.200", 32, "closed"], // metadata of a cloud inside shared address space
  ["100.64.0.0", 10, "private"],
  ["127.0.0.0", 8, "private"],
  ["169.254.0.0", 16, "closed"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "closed"],
  ["192.0.2.0", 24, "closed"],
  ["192.88.99.0", 24, "closed"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "closed"],
  ["198.51.100.0", 24, "closed"],
  ["203.0.113.0", 24, "closed"],
  ["224.0.0.0", 3, "closed"],
];

/** Ranges of IPv6, the narrower first; what is in none of them is closed, since only 2000::/3 is in use. */
const V6: readonly (readonly [string, number, AddressKind])[] = [
  ["::1", 128, "private"],
  ["fd00:ec2::254", 128, "closed"], // metadata of a cloud inside the unique local range
  ["fc00::", 7, "private"],
  ["2001::", 23, "closed"],
  ["2001:db8::", 32, "closed"],
  ["2002::", 16, "closed"],
  ["3fff::", 20, "closed"],
  ["2000::", 3, "public"],
];

/** Ranges of IPv6 that carry an IPv4 address in their last 32 bits: it decides (RFC 4291, 2.5.5; RFC 6052, 2.1). */
const CARRIERS: readonly (readonly [string, number])[] = [["::ffff:0:0", 96], ["64:ff9b::", 96]];

/** The kind of an address as text, with or without brackets; `closed` for a text that is no address. */
export function addressKind(address: string): AddressKind {
  const bare = address.replace(/^\[|\]$/g, "");
  switch (isIP(bare)) {
    case 4:
      return kindOfV4(v4(bare));
    case 6: {
      if (bare.includes("%")) return "closed"; // a zone: link-local
      const value = v6(bare);
      if (CARRIERS.some(([range, bits]) => within(value, v6(range), bits, 128))) {
        return kindOfV4(value & 0xffffffffn);
      }
      return V6.find(([range, bits]) => within(value, v6(range), bits, 128))?.[2] ?? "closed";
    }
    default:
      return "closed";
  }
}

function kindOfV4(value: bigint): AddressKind {
  return V4.find(([range, bits]) => within(value, v4(range), bits, 32))?.[2] ?? "public";
}

function within(value: bigint, range: bigint, bits: number, size: number): boolean {
  const rest = BigInt(size - bits);
  return value >> rest === range >> rest;
}

function v4(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** The groups on both sides of `::`, after the dotted end has become two groups. */
function v6(text: string): bigint {
  const plain = text.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const value = v4(dotted);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
  const [left = "", right] = plain.split("::");
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const [head, tail] = [groups(left), groups(right ?? "")];
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
