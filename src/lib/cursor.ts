import { Invalid } from './errors.ts'

/** The sort key values of a row. The next page begins after the row. */
export type CursorKey = readonly number[]

/** Longest cursor that is read, in characters. */
const maxLength = 200

/** Returns the text of a place in a list. @param order the name of the list's order, so that no other order reads it */
export const writeCursor = (order: string, key: CursorKey): string =>
  Buffer.from(JSON.stringify([order, ...key])).toString('base64url')

/**
 * Returns the place that a cursor names.
 * @param length number of the keys of the order
 * @throws Invalid for a text that no list of this order wrote
 */
export function readCursor(text: string, order: string, length: number): CursorKey {
  const [name, ...key] = text.length > maxLength ? [] : parse(text)
  if (name !== order || key.length !== length || !key.every(Number.isSafeInteger)) {
    throw new Invalid('[cursor]: is not a cursor of this list', 'cursor_invalid', { field: 'cursor' })
  }
  return key as number[]
}

function parse(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
