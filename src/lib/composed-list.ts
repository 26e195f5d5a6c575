import { hash } from 'node:crypto'

/** Encoded members of a JSON object, without the braces: `"name":value,…`. */
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

/** An object in two parts: its own members, and members that other objects share. */
export class ComposedItem<Item extends object> {
  /** Only a type: the composed object. */
  declare readonly item: Item

  constructor(
    readonly own: EncodedMembers,
    readonly shared: EncodedMembers,
  ) {}

  toJSON(): Item {
    return JSON.parse(`{${this.own.text},${this.shared.text}}`) as Item
  }
}

/** A list of objects that share members (authors, labels, the repository). */
export class ComposedList<Item extends object> {
  constructor(readonly items: readonly ComposedItem<Item>[]) {}

  toJSON(): Item[] {
    return this.items.map((item) => item.toJSON())
  }
}
