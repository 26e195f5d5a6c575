import type { OwnedByAccount } from '../access/contributions/owned.ts'
import { Invalid } from '../lib/errors.ts'
import { purgePossessions } from '../users/account-removal.service.ts'
import { deleteOrg } from './org.service.ts'
import { listSolelyOwnedOrgs } from './org.store.ts'

/** Organizations whose only owner is the account: deleting the account is refused, purging it deletes them. */
export const solelyOwnedOrgs: OwnedByAccount = {
  of: 'account',
  async refuse(tx, account) {
    if (account.kind === 'organization' || (await listSolelyOwnedOrgs(tx, account.id)).length === 0) return
    throw new Invalid('the account is the last owner of an organization', 'last_owner')
  },
  async purge(services, account, doerId) {
    if (account.kind === 'organization') return
    for (const org of await listSolelyOwnedOrgs(services.db, account.id)) {
      await purgePossessions(services, org, doerId)
      await deleteOrg(services, org, doerId)
    }
  },
}
