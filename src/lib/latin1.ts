// oxlint-disable-next-line no-control-regex -- ASCII is what is meant
const ascii = /^[\u0000-\u007f]*$/

/** Returns whether a text is the same in ASCII, Latin 1 and UTF-8. */
export const isAscii = (text: string): boolean => ascii.test(text)

/** Returns the text of bytes in UTF-8 that were read as Latin 1, so that the bytes of names beside it stay as they are. */
export const utf8OfLatin1 = (text: string): string =>
  isAscii(text) ? text : Buffer.from(text, 'latin1').toString('utf8')
