import type { DoctorCheck } from "../../cli/mod.ts";
import { checkModes } from "../../doctor/mod.ts";
import type { DoctorParts } from "./doctor_parts.ts";

/** Tries out, layer by layer, what must not be possible. */
export async function* probeLayers({ app_root }: DoctorParts): AsyncIterable<DoctorCheck> {
  yield await checkModes(app_root);
}
