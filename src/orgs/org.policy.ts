import type { Config } from '../config/load-config.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/**
 * Returns whether an account may create organizations (`[admin].DISABLE_REGULAR_ORG_CREATION` and the account's
 * permission).
 */
export function mayCreateOrgs(config: Pick<Config, 'admin'>, user: UserRow): Verdict {
  if (user.kind !== 'individual') return deny('org_owner_not_a_person', 'an organization cannot own another one')
  if (user.is_admin) return allow
  if (config.admin.disableRegularOrgCreation) {
    return deny('org_creation_admin_only', 'only administrators of the instance may create organizations')
  }
  return user.allow_create_organization
    ? allow
    : deny('org_creation_not_allowed', 'this account may not create organizations')
}
