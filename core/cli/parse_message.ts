import { InvalidArgumentError } from "commander";

/** The number of a message as `session show` prints it, with or without its `#`. Throws what Commander makes a usage error of. */
export function parseMessage(text: string): number {
  const number = Number(text.replace(/^#/, ""));
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new InvalidArgumentError("It must be the number of a message (lumina session show has them).");
  }
  return number;
}
