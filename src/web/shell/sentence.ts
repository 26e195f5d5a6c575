import { inReadersWords } from '../languages/refusals.ts'

/** A last character with which a sentence ends. */
const isEnded = /[.!?。！？]$/

/** A Chinese sentence without its full stop. Quotation marks are those of English too. */
const isChinese = /[\p{Script=Han}）》]$|^\p{Script=Han}.*[”’]$/u

/** Returns the message of a refusal as a sentence in the language of the reader. A text of a page is in that language already. */
export function sentenceOf(message: string): string {
  const said = inReadersWords(message)
  return said.slice(0, 1).toUpperCase() + said.slice(1) + (isEnded.test(said) ? '' : isChinese.test(said) ? '。' : '.')
}
