/**
 * Creates a table for untrusted keys: it has no inherited members such as `constructor`.
 */
export const wordTable = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, entries)
