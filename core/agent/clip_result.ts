/** Keeps the head and the tail of a text longer than `limit` UTF-16 code units and says how much is missing. */
export function clipResult(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.7);
  const tail = limit - head;
  const omitted = text.length - limit;
  return `${text.slice(0, head)}\n[… ${omitted} characters left out; ask for a smaller part …]\n${
    text.slice(text.length - tail)
  }`.toWellFormed();
}
