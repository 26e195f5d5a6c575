import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserChange, UserRow } from '../../db/tables/accounts.ts'
import { Invalid } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { holdAccount, publishAccountChange } from '../account-change.service.ts'
import { updateUser } from '../user.store.ts'
import { mayUseWebsite } from '../website.rules.ts'

/** Changes the settings of an account; undefined values stay. Throws `Invalid` for a malformed website. */
export async function editSettings(services: Services, user: UserRow, change: UserChange): Promise<UserRow> {
  if (change.website !== undefined) {
    const site = mayUseWebsite(change.website, services.config.service.validSiteUrlSchemes)
    if (!site.allowed) throw new Invalid(site.reason, site.code)
  }
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as UserChange
  return transaction(services.db, async (tx) => {
    const before = await holdAccount(tx, user.id)
    const after = await updateUser(tx, user.id, { ...given, updated_unix: nowUnix(services.clock) })
    await publishAccountChange(tx, before, after, user.id)
    return after
  })
}
