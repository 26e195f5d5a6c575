/** Length of the token that replaces `%{token}` in reply addresses, in characters. */
export const replyTokenLength = 44

/** Maximum length of the local part of an address (RFC 5321, 4.5.3.1.1). */
const maxLocalPart = 64

/** Returns the problem of a reply address, or undefined. */
export function problemOfReplyAddress(address: string): string | undefined {
  const [local = '', host = '', more] = address.split('@')
  if (host === '' || more !== undefined || !/^[^\s<>(),;:"\\]+$/.test(address)) return 'must be a mail address'
  if (local.split('%{token}').length !== 2) return 'must hold %{token} once before its @'
  const length = local.length - '%{token}'.length + replyTokenLength
  return length > maxLocalPart ? `is too long before its @ by ${length - maxLocalPart} characters` : undefined
}
