import { mayUseEmail } from '../../users/email.rules.ts'
import { mayNameAccount } from '../../users/name.rules.ts'

/** What a proxy says of who sent a request; undefined: nothing of it. */
export interface ProxySaid {
  readonly name: string | undefined
  readonly email: string | undefined
  /** Empty: nothing, or nothing that can be one. */
  readonly fullName: string
}

/** Values of the three headers, as they came; undefined for one that is absent or does not count. */
export interface ProxyHeaders {
  readonly name: string | undefined
  readonly email: string | undefined
  readonly fullName: string | undefined
}

/** Longest full name that is taken, in characters. */
const maxFullName = 100

/**
 * What the headers say. A header that came twice has both values with a comma between, which no name and no address has; nor
 * has one control characters, or letters that look like others.
 * @returns the header that cannot be right
 */
export function readProxyHeaders({ name, email, fullName }: ProxyHeaders): ProxySaid | 'name' | 'email' {
  const rules = { allowDotsInUsernames: true }
  if (name !== undefined && !mayNameAccount(name, rules).allowed) return 'name'
  if (email !== undefined && !mayUseEmail(email).allowed) return 'email'
  return { name, email, fullName: readFullName(fullName ?? '') }
}

/** A name in letters of any script, which came as bytes. */
function readFullName(sent: string): string {
  const text = Buffer.from(sent, 'latin1').toString('utf8')
  const isText = !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u.test(text)
  return isText && text.length <= maxFullName ? text.trim() : ''
}
