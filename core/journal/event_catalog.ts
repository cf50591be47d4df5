import type { z } from "zod";
import { errorMessage } from "../base/mod.ts";
import type { Json, NewEvent, StoredEvent } from "../types/mod.ts";
import { DAMAGED_EVENT, REDACTED_EVENT, REDACTION_EVENT } from "./journal.ts";
import { journalError } from "./journal_error.ts";
import { plainShape } from "./plain_shape.ts";
import type { PlainShape } from "./plain_shape.ts";

/** Payload types by event type. */
type Payloads = Record<string, unknown>;

/** What an event is attached to. */
export type EventIds = Pick<NewEvent, "run_id" | "step_id" | "causation_id">;

/** An event of a catalogue, its payload typed by its type. */
export type CatalogEvent<M extends Payloads, T extends keyof M & string = keyof M & string> = {
  [K in T]: Omit<StoredEvent, "type" | "payload"> & { type: K; payload: M[K] };
}[T];

/**
 * What a catalogue makes of a stored event. An event that it cannot read is kept in the journal and skipped by the
 * reader, who may warn with `problem`. One whose payload was redacted, and the event that says so, are skipped as well, and
 * are no reason to warn.
 */
export type Decoded<M extends Payloads> =
  | { known: true; event: CatalogEvent<M> }
  | { known: false; reason: "unknown_type" | "newer_version" | "invalid"; problem: string }
  | { known: false; reason: "redacted"; problem: string };

/** Makes a payload of an older version into one of the current version. */
export type Upcast = (payload: Json, from_version: number) => Json;

interface Definition {
  version: number;
  /** Made when the type is first read or written: a start pays for what it uses. */
  schema: () => z.ZodType;
  /** Made when the type is first read. */
  plain: () => PlainShape;
  upcast: Upcast | undefined;
}

/**
 * The event types that a module writes and reads. `define` returns the same catalogue with a wider type:
 *
 * ```ts
 * const catalog = new EventCatalog()
 *   .define("tool.started", 1, () => z.strictObject({ call_id: z.string(), name: z.string() }))
 *   .define("tool.ended", 2, () => toolEnded, (payload, from) => upcastToolEnded(payload, from));
 * journal.append("session", 3, [catalog.encode("tool.started", { call_id, name }, { run_id })]);
 * ```
 */
// deno-lint-ignore ban-types -- {} is the map without entries
export class EventCatalog<M extends Payloads = {}> {
  readonly #definitions = new Map<string, Definition>();

  /**
   * Adds an event type. `version` counts from 1; from 2 on `upcast` reads the older ones. Schemas hold plain JSON:
   * no transforms that change the type. Throws `journal.invalid` for a type that is defined already.
   */
  define<T extends string, S extends z.ZodType>(
    type: T,
    version: number,
    schema: () => S,
    upcast?: Upcast,
  ): EventCatalog<M & { [K in T]: z.output<S> }> {
    if (this.#definitions.has(type)) {
      throw journalError("invalid", `The event type "${type}" is defined twice`);
    }
    if (!Number.isSafeInteger(version) || version < 1 || (version > 1 && upcast === undefined)) {
      throw journalError(
        "invalid",
        `The event type "${type}" needs a version from 1 and, from 2 on, an upcast`,
      );
    }
    let made: S | undefined;
    const once = () => made ??= schema();
    let shape: PlainShape | undefined;
    this.#definitions.set(type, { version, schema: once, plain: () => shape ??= plainShape(once()), upcast });
    return this as unknown as EventCatalog<M & { [K in T]: z.output<S> }>;
  }

  /** A new event with a checked payload. Throws `journal.invalid` when it does not fit its schema. */
  encode<T extends keyof M & string>(type: T, payload: M[T], ids: EventIds = {}): NewEvent {
    const definition = this.#definitions.get(type);
    if (definition === undefined) throw journalError("invalid", `The event type "${type}" is not defined`);
    const checked = definition.schema().safeParse(payload);
    if (!checked.success) {
      throw journalError("invalid", `Cannot write "${type}": ${issues(checked.error)}`, {
        cause: checked.error,
      });
    }
    return { type, version: definition.version, payload: checked.data as Json, ...ids };
  }

  /** A stored event with its typed payload, brought to the current version. */
  decode(stored: StoredEvent): Decoded<M> {
    const definition = this.#definitions.get(stored.type);
    if (stored.type === REDACTED_EVENT || stored.type === REDACTION_EVENT) {
      return {
        known: false,
        reason: "redacted",
        problem: `event ${stored.seq}: ${
          stored.type === REDACTED_EVENT ? "redacted" : "says what was redacted"
        }`,
      };
    }
    if (stored.type === DAMAGED_EVENT) return { known: false, reason: "invalid", problem: damage(stored) };
    const where = `event ${stored.seq} "${stored.type}"`;
    if (definition === undefined) {
      return {
        known: false,
        reason: "unknown_type",
        problem: `${where}: this Lumina does not know the type`,
      };
    }
    if (stored.version > definition.version) {
      return {
        known: false,
        reason: "newer_version",
        problem: `${where}: version ${stored.version} is newer than ${definition.version}`,
      };
    }
    let payload = stored.payload;
    if (stored.version < definition.version) {
      try {
        payload = definition.upcast!(payload, stored.version);
      } catch (error) {
        return { known: false, reason: "invalid", problem: `${where}: ${errorMessage(error)}` };
      }
    }
    if (payload === stored.payload && definition.plain()(payload)) {
      return { known: true, event: stored as unknown as CatalogEvent<M> };
    }
    const checked = definition.schema().safeParse(payload);
    if (!checked.success) {
      return { known: false, reason: "invalid", problem: `${where}: ${issues(checked.error)}` };
    }
    const event = { ...stored, version: definition.version, payload: checked.data };
    return { known: true, event: event as unknown as CatalogEvent<M> };
  }

  /** A type's current version and schema. Throws `journal.invalid` when it is not defined. */
  definition(type: string): { version: number; schema: z.ZodType } {
    const definition = this.#definitions.get(type);
    if (definition === undefined) throw journalError("invalid", `The event type "${type}" is not defined`);
    return { version: definition.version, schema: definition.schema() };
  }

  /** The defined types, in the order of definition. */
  types(): string[] {
    return [...this.#definitions.keys()];
  }

  /** The same with their current versions, such as `tool.ended 2`. */
  versions(): string[] {
    return [...this.#definitions].map(([type, { version }]) => `${type} ${version}`);
  }
}

/** What `DAMAGED_EVENT` says of the event in whose place it was read. */
function damage({ seq, payload }: StoredEvent): string {
  const { type, problem } = payload as { type: string; problem: string };
  return `event ${seq} "${type}": ${problem}`;
}

function issues(error: z.ZodError): string {
  return error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`
  )
    .join("; ");
}
