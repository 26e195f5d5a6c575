import { mayUseEmail } from '../../users/email.rules.ts'
import { mayNameAccount } from '../../users/name.rules.ts'

/** Values of the proxy's headers; undefined for an absent one. */
export interface ProxyIdentity {
  readonly name: string | undefined
  readonly email: string | undefined
  /** Empty for an absent or invalid value. */
  readonly fullName: string
}

/** Values of the three headers; undefined for an absent or unused one. */
export interface ProxyHeaders {
  readonly name: string | undefined
  readonly email: string | undefined
  readonly fullName: string | undefined
}

/** Longest full name, in characters. */
const maxFullName = 100

/**
 * Parses the headers. A repeated header has a comma between its values, which no name or address contains; control
 * characters and look-alike letters are invalid too.
 * @returns the name of an invalid header
 */
export function readProxyHeaders({ name, email, fullName }: ProxyHeaders): ProxyIdentity | 'name' | 'email' {
  const rules = { allowDotsInUsernames: true }
  if (name !== undefined && !mayNameAccount(name, rules).allowed) return 'name'
  if (email !== undefined && !mayUseEmail(email).allowed) return 'email'
  return { name, email, fullName: readFullName(fullName ?? '') }
}

/** HTTP delivers UTF-8 names as bytes. */
function readFullName(sent: string): string {
  const text = Buffer.from(sent, 'latin1').toString('utf8')
  const isText = !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u.test(text)
  return isText && text.length <= maxFullName ? text.trim() : ''
}
