import type { Ctx, SignedInCtx } from '../../access/context.ts'
import type { InvitationRow } from '../../db/tables/invitations.ts'
import { formatUnix } from '../../lib/time.ts'
import { modeName } from '../../orgs/team.present.ts'
import { presentAuthor, presentUser } from '../../users/user.present.ts'
import type { ListedInvitation } from './invitation.rules.ts'
import type { Invitation } from './invitation.schemas.ts'

const factsOf = (row: InvitationRow): Omit<Invitation, 'inviter'> => ({
  id: row.id,
  email: row.email,
  permission: modeName(row.access_mode),
  team_id: row.team_id,
  created_at: formatUnix(row.created_unix),
  expires_at: formatUnix(row.expires_unix),
})

export const presentInvitations = (ctx: Ctx, rows: readonly ListedInvitation[]): Invitation[] =>
  rows.map(({ invitation, inviter }) => ({ ...factsOf(invitation), inviter: presentAuthor(ctx, inviter) }))

/** A new invitation of the viewer, with the link that the viewer must hand over, if any. */
export const presentNewInvitation = (ctx: SignedInCtx, row: InvitationRow, link: string | undefined): Invitation => ({
  ...factsOf(row),
  inviter: presentUser(ctx, ctx.viewer.user),
  ...(link === undefined ? {} : { link }),
})
