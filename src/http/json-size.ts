import { TooLarge } from '../lib/errors.ts'

/** Maximum number of values in a body: a change of 30,000 files has fewer. More would take seconds to process. */
const maxValues = 200_000
/** Maximum nesting of arrays and objects; the API needs fewer than ten levels. */
const maxDepth = 100

const quote = 0x22
const backslash = 0x5c

/**
 * Looks at JSON while it arrives, so that what would take long to parse is refused before: too many values, or too deep.
 * Long texts cost little. Wrong JSON is left for the parser.
 */
export class JsonSize {
  #inText = false
  /** Whether the last byte was a backslash that escapes the next one. */
  #isEscaped = false
  #values = 0
  #depth = 0
  readonly #maxValues: number

  constructor(limit = maxValues) {
    this.#maxValues = limit
  }

  /** @throws TooLarge */
  add(chunk: Buffer): void {
    let position = 0
    while (position < chunk.length) {
      position = this.#inText ? this.#passText(chunk, position) : this.#passStructure(chunk, position)
    }
    if (this.#values > this.#maxValues) throw new TooLarge(`the body holds more than ${this.#maxValues} values`)
    if (this.#depth > maxDepth) throw new TooLarge(`the body is nested deeper than ${maxDepth} levels`)
  }

  /** Advances to the end of the string or chunk. */
  #passText(chunk: Buffer, start: number): number {
    let from = start
    for (;;) {
      const end = chunk.indexOf(quote, from)
      const stop = end < 0 ? chunk.length : end
      let slashes = 0
      while (stop - slashes > from && chunk[stop - slashes - 1] === backslash) slashes++
      // A run of backslashes continues from the previous chunk.
      const carried = stop - slashes === from && this.#isEscaped ? 1 : 0
      this.#isEscaped = (slashes + carried) % 2 === 1
      if (end < 0) return chunk.length
      if (!this.#isEscaped) {
        this.#inText = false
        return end + 1
      }
      this.#isEscaped = false
      from = end + 1
    }
  }

  /** Advances to the next string or the end of the chunk. */
  #passStructure(chunk: Buffer, start: number): number {
    for (let position = start; position < chunk.length; position++) {
      switch (chunk[position]) {
        case quote:
          this.#inText = true
          return position + 1
        case 0x2c: // ,
          this.#values++
          break
        case 0x5b: // [
        case 0x7b: // {
          this.#values++
          this.#depth++
          if (this.#depth > maxDepth) return chunk.length
          break
        case 0x5d: // ]
        case 0x7d: // }
          this.#depth--
          break
        case undefined:
        default:
      }
    }
    return chunk.length
  }
}

/**
 * Returns the value of a JSON text that strangers wrote. Long strings cost little; many values and deep nesting cost much.
 * @throws TooLarge for too many values or too much nesting, SyntaxError for text that is not JSON
 */
export function parseSizedJson(content: Buffer | string, limit?: number): unknown {
  new JsonSize(limit).add(typeof content === 'string' ? Buffer.from(content) : content)
  return JSON.parse(content.toString('utf8')) as unknown
}
