import type { Ctx, SignedInCtx } from '../../../access/context.ts'
import type { Call } from '../../../http/operation.ts'
import type { RepoId, TeamId } from '../../../lib/ids.ts'
import type { InvitationHolder, InvitationTarget } from '../../../repos/invitations/invitation.rules.ts'
import {
  invite,
  linkToHandOver,
  listInvitations,
  type NewInvitation,
} from '../../../repos/invitations/invitation.service.ts'
import { invitationTexts as texts } from '../../languages/texts.ts'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import type { ActResult } from '../../shell/page.tsx'
import { onceShown, takeShownOnce } from '../../shell/shown-once.ts'

/**
 * What the pages of collaborators, members and teams do with invitations. Each place declares its own addresses and
 * requirements, and shows `InvitationSection`.
 */

type PersonCtx = BrowserCtx & SignedInCtx

/** What a link leads to: the page of one does not show the link of another. */
type LinkPlace = { readonly repoId: RepoId } | { readonly teamId: TeamId }

const nameOf = (place: LinkPlace): string => ('repoId' in place ? `repository ${place.repoId}` : `team ${place.teamId}`)

/** Returns the invitations of a place, for `InvitationSection`. */
export const loadInvitations = async (ctx: Ctx, holder: InvitationHolder) => ({
  ...(await listInvitations(ctx, holder)),
  isMailOn: ctx.mailer.isEnabled,
})

/** Returns the link that a repository or team shows once, if it was just made. */
export function takeInvitationLink(ctx: PersonCtx, place: LinkPlace, call: Call): string | undefined {
  const shown = takeShownOnce(ctx, call, ['invitation'])
  return shown?.name === nameOf(place) ? shown.secret : undefined
}

/**
 * Invites, and returns where to go on.
 * @param pages.to the page that says that the mail is on its way
 * @param pages.linkTo the page of the repository or team, which shows the link once
 */
export async function inviteFromPage(
  ctx: PersonCtx,
  target: InvitationTarget,
  input: NewInvitation,
  pages: { readonly to: string; readonly linkTo: string },
): Promise<ActResult> {
  const invitation = await invite(ctx, target, input)
  const secret = linkToHandOver(ctx, invitation)
  if (secret === undefined) return { to: pages.to, notice: texts.sent(invitation.email) }
  const name = nameOf(target.kind === 'team' ? { teamId: target.team.id } : { repoId: target.repo.id })
  return { to: pages.linkTo, cookies: [onceShown(ctx, { kind: 'invitation', name, secret })] }
}
