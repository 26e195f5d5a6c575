/**
 * A table that is asked with words of strangers: it has what it was given and nothing else, where an object has
 * `constructor` and the like as well.
 */
export const wordTable = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, entries)
