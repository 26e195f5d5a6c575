/** Characters that `%{token}` stands for in addresses that mails are answered to. */
export const replyTokenLength = 44

/** Characters of an address before its `@`, at most (RFC 5321, 4.5.3.1.1). */
const maxLocalPart = 64

/** What is wrong with an address to which answers are to go; undefined when nothing is. */
export function problemOfReplyAddress(address: string): string | undefined {
  const [local = '', host = '', more] = address.split('@')
  if (host === '' || more !== undefined || !/^[^\s<>(),;:"\\]+$/.test(address)) return 'must be a mail address'
  if (local.split('%{token}').length !== 2) return 'must hold %{token} once before its @'
  const length = local.length - '%{token}'.length + replyTokenLength
  return length > maxLocalPart ? `is too long before its @ by ${length - maxLocalPart} characters` : undefined
}
