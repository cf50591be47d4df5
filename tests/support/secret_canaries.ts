/** Values that must never be seen where they do not belong, by where they were planted. */
export type Canaries = Readonly<Record<string, string>>;

/** Makes one value for each place; none is a part of another, and each looks like the key that it stands for. */
export function makeCanaries<const Names extends readonly string[]>(
  ...names: Names
): { readonly [N in Names[number]]: string } {
  return Object.fromEntries(
    names.map((name) => [name, `sk-canary-${name}-${crypto.randomUUID().replaceAll("-", "")}`]),
  ) as { readonly [N in Names[number]]: string };
}

/** The places whose value stands in a text or in bytes, in any form in which it travels. */
export function foundCanaries(canaries: Canaries, where: string | Uint8Array): string[] {
  const text = typeof where === "string" ? where : new TextDecoder("latin1").decode(where);
  return Object.entries(canaries).filter(([, value]) => forms(value).some((form) => text.includes(form)))
    .map(([name]) => name);
}

/** Every file below a folder in which one stands, but for those that are named: `path: place, place`. */
export async function canaryFiles(
  canaries: Canaries,
  folder: string,
  except: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await canaryFiles(canaries, path, except));
    else if (entry.isFile && !except.includes(path)) {
      const places = foundCanaries(canaries, await Deno.readFile(path));
      if (places.length > 0) found.push(`${path}: ${places.join(", ")}`);
    }
  }
  return found;
}

function forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  // a header of Basic authentication holds it behind a user's name: one of three alignments
  const shifted = [0, 1, 2].map((shift) =>
    new Uint8Array([...new Uint8Array(shift), ...bytes]).toBase64().slice(shift === 0 ? 0 : 4, -8)
  );
  return [value, encodeURIComponent(value), value.split("").reverse().join(""), bytes.toHex(), ...shifted];
}
