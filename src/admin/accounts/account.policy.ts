import type { Config } from '../../config/load-config.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/**
 * Returns whether people delete their own accounts here: `[admin] USER_DISABLED_FEATURES` withholds that from all,
 * `EXTERNAL_USER_DISABLE_FEATURES` from those who sign in through a source.
 */
export function mayDeleteOwnAccount(
  { admin }: Pick<Config, 'admin'>,
  { login_source_id: sourceId }: Pick<UserRow, 'login_source_id'>,
): Verdict {
  const withheld = [...admin.userDisabledFeatures, ...(sourceId === 0 ? [] : admin.externalUserDisableFeatures)]
  return withheld.includes('deletion')
    ? deny('account_deletion_withheld', 'only administrators delete accounts here')
    : allow
}
