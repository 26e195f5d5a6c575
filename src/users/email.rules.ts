import { allow, deny, type Verdict } from '../lib/verdict.ts'

const maxEmailLength = 254

/**
 * Returns whether a text has the form of an address: one `@`, no spaces or control characters, a domain of dotted
 * labels.
 */
export function mayUseEmail(email: string): Verdict {
  if (email.length > maxEmailLength) return deny('email_invalid', `an address has at most ${maxEmailLength} characters`)
  const local = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
  const label = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
  return new RegExp(`^${local}@${label}(?:\\.${label})*$`).test(email)
    ? allow
    : deny('email_invalid', `${email} is not a valid address`)
}
