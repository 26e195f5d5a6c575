/** An item of a list in two parts: what it has for itself, and an object of members that other items may have as well. */
export interface ComposedItem<Own extends object, Shared extends object> {
  readonly own: Own
  /** The very same object wherever the members are the same; it has at least one. */
  readonly shared: Shared
}

/**
 * A list of objects, many of which show the same things (authors, labels, the repository). It is encoded as the list of
 * the whole objects, and what they share is encoded once.
 */
export class ComposedList<Item extends object> {
  constructor(readonly items: readonly ComposedItem<Partial<Item>, Partial<Item>>[]) {}

  toJSON(): Item[] {
    return this.items.map(({ own, shared }) => ({ ...own, ...shared }) as Item)
  }
}
