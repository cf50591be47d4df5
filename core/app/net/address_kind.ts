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
  ["168.63.129.16", 32, "closed"], // the platform service of a cloud, at an address that looks public
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

const V4_FORM = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** The kind of an address as text, with or without brackets; `closed` for a text that is no address. */
export function addressKind(address: string): AddressKind {
  const bare = address.replace(/^\[|\]$/g, "");
  if (V4_FORM.test(bare)) return kindOfV4(v4(bare));
  if (bare.includes("%")) return "closed"; // a zone: link-local
  // the form that the URL standard gives every address of IPv6, the dotted ones too
  const plain = bare.includes(":") ? URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) : undefined;
  if (plain === undefined) return "closed";
  const value = v6(plain);
  if (CARRIERS.some(([range, bits]) => within(value, v6(range), bits, 128))) {
    return kindOfV4(value & 0xffffffffn);
  }
  return V6.find(([range, bits]) => within(value, v6(range), bits, 128))?.[2] ?? "closed";
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

/** The groups on both sides of `::`. */
function v6(text: string): bigint {
  const [left = "", right = ""] = text.split("::");
  const groups = (part: string) => part === "" ? [] : part.split(":");
  const [head, tail] = [groups(left), groups(right)];
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
