import type { Viewer } from '../../auth/viewer.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { OrgMembership } from '../../orgs/membership.service.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** The account itself and owners of the organization choose the repositories that its page begins with. */
export const mayPinRepos = (viewer: Viewer, subject: UserRow, role: OrgMembership | undefined): Verdict =>
  viewer.id === subject.id || role?.isOwner === true
    ? allow
    : deny('pins_not_yours', 'only the account itself and owners of the organization choose pinned repositories')
