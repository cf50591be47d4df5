/** What is used of a document; the program has no types of a browser. */
export interface DomElement {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly children: ArrayLike<DomElement>;
  readonly firstElementChild: DomElement | null;
  readonly nextElementSibling: DomElement | null;
  readonly classList: { contains(name: string): boolean };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

export interface DomDocument extends Pick<DomElement, "querySelector" | "querySelectorAll"> {
  readonly body: DomElement;
  readonly documentElement: DomElement;
}
