import type { Ctx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { avatarUrl } from '../users/user.present.ts'
import type { Organization } from './org.schemas.ts'

/** Presents an organization. Guests do not get its email address (contract, organizations: reading). */
export const presentOrg = (ctx: Pick<Ctx, 'config' | 'viewer'>, org: UserRow): Organization => ({
  id: org.id,
  name: org.name,
  full_name: org.full_name,
  email: ctx.viewer ? org.email : '',
  avatar_url: avatarUrl(ctx, org),
  description: org.description,
  website: org.website,
  location: org.location,
  visibility: org.visibility,
  repo_admin_change_team_access: org.repo_admin_change_team_access,
  username: org.name,
})
