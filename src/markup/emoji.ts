import { gemoji } from 'gemoji'

export interface Emoji {
  readonly letter: string
  /** Its name in words, for screen readers. */
  readonly description: string
  /** First of its names, without colons. */
  readonly alias: string
}

interface EmojiTable {
  readonly byName: ReadonlyMap<string, Emoji>
  readonly byLetter: ReadonlyMap<string, Emoji>
  /** Finds letters of the table in a text, longest first. */
  readonly pattern: RegExp
}

let table: EmojiTable | undefined

function emojiTable(): EmojiTable {
  if (table !== undefined) return table
  const byName = new Map<string, Emoji>()
  const byLetter = new Map<string, Emoji>()
  for (const { emoji, description, names } of gemoji) {
    const entry = { letter: emoji, description, alias: names[0] ?? '' }
    byLetter.set(emoji, entry)
    for (const name of names) byName.set(name, entry)
  }
  const letters = [...byLetter.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(letters.map((letter) => letter.replace(/[*#]/g, '\\$&')).join('|'), 'g')
  table = { byName, byLetter, pattern }
  return table
}

/** The emoji of a name as written between colons (`smile`, `+1`), or undefined. */
export const emojiByName = (name: string): Emoji | undefined => emojiTable().byName.get(name)

/** Whether a text may hold emoji letters at all: a cheap test before the long pattern is tried. */
const mayHoldEmoji = (text: string): boolean => /[\u00a9\u00ae\u203c-\u3299\u{1f000}-\u{1faff}]/u.test(text)

/** All emoji letters of a text with their places. */
export function findEmojiLetters(text: string): { readonly index: number; readonly emoji: Emoji }[] {
  if (!mayHoldEmoji(text)) return []
  const { pattern, byLetter } = emojiTable()
  const found: { index: number; emoji: Emoji }[] = []
  for (const match of text.matchAll(pattern)) {
    const emoji = byLetter.get(match[0])
    if (emoji !== undefined) found.push({ index: match.index, emoji })
  }
  return found
}
