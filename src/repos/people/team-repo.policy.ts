import { mode, type Rights } from '../../access/rights.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** Decides whether the viewer may give a repository to teams of its organization, and take it from them. */
export const mayGiveToTeams = (rights: Rights): Verdict =>
  rights.isAdmin || rights.modeOf('code') >= mode.admin
    ? allow
    : deny('repo_admin_only', 'only administrators of the repository may do this')
