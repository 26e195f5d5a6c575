import { hash } from 'node:crypto'

/** Some members of a JSON object, encoded: `"name":value` with commas between, without the braces around them. */
export interface EncodedMembers {
  readonly text: string
  readonly sizeBytes: number
  /** Of the text. */
  readonly digest: string
}

/** @param members at least one */
export function encodeMembers(members: object): EncodedMembers {
  const text = JSON.stringify(members).slice(1, -1)
  return { text, sizeBytes: Buffer.byteLength(text), digest: hash('sha1', text, 'base64url') }
}

/** An object whose members come in two parts: what it has for itself, and what other objects may show as well. */
export class ComposedItem<Item extends object> {
  /** Only says what the parts are of. */
  declare readonly item: Item

  constructor(
    readonly own: EncodedMembers,
    readonly shared: EncodedMembers,
  ) {}

  toJSON(): Item {
    return JSON.parse(`{${this.own.text},${this.shared.text}}`) as Item
  }
}

/** A list of such objects, many of which show the same things (authors, labels, the repository). */
export class ComposedList<Item extends object> {
  constructor(readonly items: readonly ComposedItem<Item>[]) {}

  toJSON(): Item[] {
    return this.items.map((item) => item.toJSON())
  }
}
