import type { SessionParts } from "./session_parts.ts";

/** The plugins of a session as clients are told of them, those that are switched off left out. */
export function sessionPlugins({ catalog, watch }: SessionParts): { name: string; path: string }[] {
  const { disabled_plugins } = watch.current.settings;
  return [
    ...catalog.plugins.filter(({ id }) => !disabled_plugins.includes(id))
      .map(({ id }) => ({ name: id, path: `bundled:${id}` })),
    ...catalog.packs.map(({ id, scope }) => ({ name: id, path: `${scope}:${id}` })),
  ];
}
