/** A request that cannot be searched; its message is one line for the model: what was asked, why not, what to do. */
export class SearchError extends Error {
  override readonly name = "SearchError";
}
