/** A failure that the model should read: one helpful message, no stack. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
