import type { SqliteStore } from "./sqlite_store.ts";
import type { WriteOutcome, WriteRequest } from "./write_request.ts";

/** The methods of a store that only read. */
export type StoreMethod = Exclude<keyof SqliteStore, "close" | "write" | "tidy" | "reserveLog">;

/** Reaches a store: directly, or in the worker that holds it. */
export interface StorePort {
  call<M extends StoreMethod>(
    method: M,
    ...args: Parameters<SqliteStore[M]>
  ): Promise<ReturnType<SqliteStore[M]>>;
  write(batch: WriteRequest[]): Promise<WriteOutcome[]>;
  close(): Promise<void>;
}

/** Calls a method of a store by its name. */
export function callStore<M extends StoreMethod>(
  store: SqliteStore,
  method: M,
  args: Parameters<SqliteStore[M]>,
): ReturnType<SqliteStore[M]> {
  // The method and its arguments belong together by M, which TypeScript cannot follow through the lookup.
  const target = store[method] as (...args: unknown[]) => unknown;
  return target.apply(store, args) as ReturnType<SqliteStore[M]>;
}
