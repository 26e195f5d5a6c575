import type { Config } from '../config/load-config.ts'
import type { UserRow } from '../db/tables/accounts.ts'

/** Characters that cannot occur in the name or address of a commit. */
// oxlint-disable-next-line no-control-regex -- control characters are what must not pass
const forbidden = /[\u0000-\u001f\u007f<>]/g

/**
 * Returns the name and address for commits of an account: the full name, or else the login; the address, or the
 * placeholder when it is hidden or missing.
 */
export function gitPerson(
  config: Pick<Config, 'service'>,
  user: UserRow,
): { readonly name: string; readonly email: string } {
  const name = user.full_name.replaceAll(forbidden, '').trim() || user.name
  const hidden = user.keep_email_private || user.email === ''
  return { name, email: hidden ? `${user.lower_name}@${config.service.noReplyAddress}` : user.email }
}
