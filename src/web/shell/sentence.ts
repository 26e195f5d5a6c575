/** Returns the message of a refusal as a sentence. */
export const sentenceOf = (message: string): string =>
  message.slice(0, 1).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? '' : '.')
