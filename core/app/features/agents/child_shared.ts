import type { SharedFeatures } from "../shared_features.ts";

/** What features offer each other in a sub-agent: all that those of the session do, and sub-agents of its own. */
export function childShared(session: SharedFeatures): SharedFeatures {
  let agents: SharedFeatures["agents"];
  return new Proxy(session, {
    get: (shared, name) => name === "agents" ? agents : Reflect.get(shared, name),
    set: (shared, name, value) => {
      if (name !== "agents") return Reflect.set(shared, name, value);
      agents = value;
      return true;
    },
  });
}
