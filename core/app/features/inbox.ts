import { tellInbox } from "../../agent/mod.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

/** Tells the model before each request what has come since the last one. */
export function inboxFeature({ inbox, parts }: FeatureScope): SessionFeature {
  return {
    participant: {
      name: "inbox",
      at: {
        context: async (_moment, run) => {
          // what is for the session is told to its own agent
          if (run.session === parts.session && inbox.waits()) await tellInbox(inbox, run);
        },
      },
    },
  };
}
