import { gemoji } from 'gemoji'

export interface Emoji {
  readonly character: string
  /** Description for screen readers. */
  readonly description: string
  /** First name, without colons. */
  readonly alias: string
}

interface EmojiTable {
  readonly byName: ReadonlyMap<string, Emoji>
  readonly byCharacter: ReadonlyMap<string, Emoji>
  /** Matches the emoji of the table, longest first. */
  readonly pattern: RegExp
}

let table: EmojiTable | undefined

function emojiTable(): EmojiTable {
  if (table !== undefined) return table
  const byName = new Map<string, Emoji>()
  const byCharacter = new Map<string, Emoji>()
  for (const { emoji, description, names } of gemoji) {
    const entry = { character: emoji, description, alias: names[0] ?? '' }
    byCharacter.set(emoji, entry)
    for (const name of names) byName.set(name, entry)
  }
  const characters = [...byCharacter.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(characters.map((character) => character.replace(/[*#]/g, '\\$&')).join('|'), 'g')
  table = { byName, byCharacter, pattern }
  return table
}

/** Returns the emoji of a name without colons (`smile`, `+1`), or undefined. */
export const emojiByName = (name: string): Emoji | undefined => emojiTable().byName.get(name)

/** Returns the character and all names of an emoji, by a name without colons or by its character. */
export function findEmojiNames(
  nameOrCharacter: string,
): { readonly character: string; readonly names: readonly string[] } | undefined {
  const { byName, byCharacter } = emojiTable()
  const known =
    byName.get(nameOrCharacter) ?? byCharacter.get(nameOrCharacter) ?? byCharacter.get(`${nameOrCharacter}\ufe0f`)
  return (
    known && { character: known.character, names: gemoji.find(({ emoji }) => emoji === known.character)?.names ?? [] }
  )
}

/** Returns at most `limit` emoji with a name that begins with a text. */
export function emojiBeginning(text: string, limit: number): { readonly character: string; readonly name: string }[] {
  const found: { character: string; name: string }[] = []
  for (const [name, { character }] of emojiTable().byName) {
    if (name.startsWith(text)) found.push({ character, name })
    if (found.length >= limit) break
  }
  return found
}

/** A cheap test whether a text may contain emoji, before the long pattern is tried. */
const mayHoldEmoji = (text: string): boolean => /[\u00a9\u00ae\u203c-\u3299\u{1f000}-\u{1faff}]/u.test(text)

/** Returns the emoji of a text with their positions. */
export function findEmoji(text: string): { readonly index: number; readonly emoji: Emoji }[] {
  if (!mayHoldEmoji(text)) return []
  const { pattern, byCharacter } = emojiTable()
  const found: { index: number; emoji: Emoji }[] = []
  for (const match of text.matchAll(pattern)) {
    const emoji = byCharacter.get(match[0])
    if (emoji !== undefined) found.push({ index: match.index, emoji })
  }
  return found
}
