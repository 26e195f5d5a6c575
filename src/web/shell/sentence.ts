/** A last character with which a sentence ends. */
const isEnded = /[.!?。！？]$/

/** A Chinese sentence without its full stop. Quotation marks are those of English too. */
const isChinese = /[\p{Script=Han}）》]$|^\p{Script=Han}.*[”’]$/u

/** Returns the message of a refusal as a sentence. */
export const sentenceOf = (message: string): string =>
  message.slice(0, 1).toUpperCase() +
  message.slice(1) +
  (isEnded.test(message) ? '' : isChinese.test(message) ? '。' : '.')
