import type { ModelRequest } from "../model/mod.ts";

/**
 * Roughly how many tokens a request takes: four ASCII characters make one, any other character 0.7. It errs to the low
 * side for code.
 */
export function estimateTokens(request: ModelRequest): number {
  const text = JSON.stringify([request.system, request.messages, request.tools]);
  let other = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) other++;
  return Math.ceil((text.length - other) / 4 + other * 0.7);
}
