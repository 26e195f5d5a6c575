import { createHmac } from 'node:crypto'
import type { Ctx, Services, SignedInCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { mode } from '../../access/rights.ts'
import { viewerAs, type Viewer } from '../../auth/viewer.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { AccessMode, TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { InvitationRow } from '../../db/tables/invitations.ts'
import { publish } from '../../events/hub.ts'
import { Conflict, Gone, Invalid, NotFound } from '../../lib/errors.ts'
import type { InvitationId, TeamId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { allow, deny, must, type Verdict } from '../../lib/verdict.ts'
import { orgMembership } from '../../orgs/membership.service.ts'
import { joinTeam } from '../../orgs/team.service.ts'
import { findTeam, loadTeams } from '../../orgs/team.store.ts'
import { hashToken, newSecret } from '../../secrets/tokens.ts'
import { checkEmailForm, emailsOf } from '../../users/email.service.ts'
import { isBlockedEitherWay } from '../../users/social/block.store.ts'
import { findUserById, loadUsers } from '../../users/user.store.ts'
import { modeNamed, raiseCollaboration, refuseNeedless } from '../people/collaboration.service.ts'
import { findRepoById } from '../repo.store.ts'
import { invitationLimits } from './invitation-limits.ts'
import {
  isPending,
  keptSeconds,
  maxPending,
  maxShownEnded,
  ownerOfTarget,
  validSeconds,
  type InvitationHolder,
  type InvitationTarget,
  type ListedInvitation,
  type ListedInvitations,
  type OpenInvitation,
} from './invitation.rules.ts'
import {
  countPending,
  deleteInvitationsBefore,
  endInvitation,
  findInvitation,
  findInvitationByHash,
  hasPendingFor,
  insertInvitation,
  listAnswered,
  listPending,
  lockHolder,
} from './invitation.store.ts'

/** Returns the token of an invitation's link. Only its hash is stored. */
const tokenOf = ({ secrets }: Pick<Services, 'secrets'>, nonce: string): string =>
  createHmac('sha256', secrets.deriveKey('invitation', 32)).update(nonce).digest('base64url')

/** Returns the address of the link, which the instance key and the row give. */
export const linkOfInvitation = (services: Pick<Services, 'secrets' | 'config'>, { nonce }: InvitationRow): string =>
  `${services.config.server.rootUrl}user/invitation?code=${tokenOf(services, nonce)}`

/** Returns the link of a new invitation that the inviter must hand over; undefined when a mail has it. */
export const linkToHandOver = (
  services: Pick<Services, 'secrets' | 'config' | 'mailer'>,
  invitation: InvitationRow,
): string | undefined =>
  invitation.email !== '' && services.mailer.isEnabled ? undefined : linkOfInvitation(services, invitation)

/** Returns whether an account may give what the target gives: owners of the organization, administrators of the repository. */
async function mayGive({ db }: Pick<Services, 'db'>, target: InvitationTarget, viewer: Viewer): Promise<Verdict> {
  const isAllowed =
    target.kind === 'team'
      ? viewer.isAdmin || (await orgMembership(db, target.org.id, viewer.id)).isOwner
      : (await accessTo(db, viewer, target.owner, target.repo)).rights.isAdmin
  return isAllowed
    ? allow
    : deny('invitation_not_allowed', 'only owners of the organization or administrators of the repository may invite')
}

const factsOf = (invitation: InvitationRow, target: InvitationTarget, { viewer }: SignedInCtx) => ({
  invitationId: invitation.id,
  inviterId: invitation.inviter_id,
  doerId: viewer.id,
  mode: invitation.access_mode,
  ...(target.kind === 'team' ? { teamId: target.team.id, orgId: target.org.id } : { repoId: target.repo.id }),
})

export interface NewInvitation {
  /** The address that gets the mail; undefined for a link that the inviter hands over. */
  readonly email?: string | undefined
  /** Of a collaborator; write access unless named. */
  readonly permission?: string | undefined
}

/**
 * Invites somebody to a team or repository. The mail to an address is sent after the commit.
 * @returns the row; `linkOfInvitation` gives its link
 * @throws Forbidden, Invalid (`email_…`), Conflict (`invitation_…`), TooManyRequests
 */
export async function invite(ctx: SignedInCtx, target: InvitationTarget, input: NewInvitation): Promise<InvitationRow> {
  must(await mayGive(ctx, target, ctx.viewer))
  const email = (input.email ?? '').trim()
  if (email !== '') checkEmailForm(email)
  invitationLimits.of(ctx).made.take(String(ctx.viewer.id))
  const nonce = newSecret()
  const now = nowUnix(ctx.clock)
  const holder = target.kind === 'team' ? { orgId: target.org.id } : { repoId: target.repo.id }
  return transaction(ctx.db, async (tx) => {
    await lockHolder(tx, holder)
    if ((await countPending(tx, holder, now)) >= maxPending) {
      throw new Conflict(`there are ${maxPending} open invitations already; revoke one first`, 'invitation_limit')
    }
    const same = target.kind === 'team' ? { teamId: target.team.id } : holder
    const lower = email.toLowerCase()
    if (lower !== '' && (await hasPendingFor(tx, same, lower, now))) {
      throw new Conflict('this address is invited already', 'invitation_exists')
    }
    const invitation = await insertInvitation(tx, {
      team_id: target.kind === 'team' ? target.team.id : null,
      repo_id: target.kind === 'repository' ? target.repo.id : null,
      access_mode: target.kind === 'team' ? mode.none : (modeNamed(input.permission) ?? mode.write),
      email,
      lower_email: lower,
      inviter_id: ctx.viewer.id,
      nonce,
      token_hash: hashToken(tokenOf(ctx, nonce)),
      created_unix: now,
      expires_unix: now + validSeconds,
      outcome: null,
      ended_unix: null,
      accepted_by_id: null,
    })
    await publish(tx, 'invitation.created', factsOf(invitation, target, ctx))
    return invitation
  })
}

/** Lists the open invitations and the last answered ones. The caller must be allowed to invite. */
export async function listInvitations(ctx: Ctx, holder: InvitationHolder): Promise<ListedInvitations> {
  const { db, clock } = ctx
  const [pending, answered] = await Promise.all([
    listPending(db, holder, nowUnix(clock), { limit: maxPending, offset: 0 }),
    listAnswered(db, holder, maxShownEnded),
  ])
  const listed = await withPeople(ctx, [...pending, ...answered])
  return { pending: listed.slice(0, pending.length), answered: listed.slice(pending.length) }
}

/** Returns a page of the open invitations, newest first. The caller must be allowed to invite. */
export async function pageOfInvitations(
  ctx: Ctx,
  holder: InvitationHolder,
  page: Page,
): Promise<{ readonly rows: readonly ListedInvitation[]; readonly total: number }> {
  const now = nowUnix(ctx.clock)
  const [rows, total] = await rowsAndTotal(
    page,
    listPending(ctx.db, holder, now, page),
    countPending(ctx.db, holder, now),
  )
  return { rows: await withPeople(ctx, rows), total }
}

/** Adds the accounts and teams to invitations. */
async function withPeople({ db }: Ctx, rows: readonly InvitationRow[]): Promise<ListedInvitation[]> {
  const teamIds = [...new Set(rows.flatMap(({ team_id: id }): TeamId[] => (id === null ? [] : [id])))]
  const [users, teams] = await Promise.all([
    loadUsers(
      db,
      rows.flatMap((row) => [row.inviter_id, row.accepted_by_id]),
    ),
    loadTeams(db, teamIds),
  ])
  const teamOf = new Map(teams.map((team) => [team.id, team]))
  return rows.map((invitation) => ({
    invitation,
    inviter: users.get(invitation.inviter_id),
    team: invitation.team_id === null ? undefined : teamOf.get(invitation.team_id),
    acceptedBy: invitation.accepted_by_id === null ? undefined : users.get(invitation.accepted_by_id),
  }))
}

/** Returns the team of an organization to which a caller invites. Throws `Invalid` for a team of another one. */
export async function getTeamToInviteTo({ db }: Ctx, org: UserRow, id: number): Promise<TeamRow> {
  const team = await findTeam(db, id as TeamId)
  if (team?.org_id !== org.id) {
    throw new Invalid('[team_id]: must be a team of the organization', 'team_not_found', { field: 'team_id' })
  }
  return team
}

const noInvitation = (): NotFound => new NotFound('the invitation does not exist', 'invitation_not_found')
const endedInvitation = (): Gone =>
  new Gone('this invitation was used, revoked or has expired; ask for another one', 'invitation_ended')

/**
 * Revokes an invitation.
 * @param holder the repository, team or organization in whose name the caller acts
 * @throws NotFound for an invitation of another place, Conflict for one that has ended
 */
export async function revokeInvitation(ctx: SignedInCtx, id: InvitationId, holder: InvitationHolder): Promise<void> {
  const invitation = await findInvitation(ctx.db, id)
  const target = invitation && (await findInvitationTarget(ctx, invitation))
  if (!invitation || !target || !isHeldBy(target, holder)) throw noInvitation()
  must(await mayGive(ctx, target, ctx.viewer))
  await transaction(ctx.db, async (tx) => {
    const end = { outcome: 'revoked', nowUnix: nowUnix(ctx.clock), acceptedById: null } as const
    if (!(await endInvitation(tx, id, end))) {
      throw new Conflict('the invitation was answered or has expired', 'invitation_ended')
    }
    await publish(tx, 'invitation.revoked', factsOf(invitation, target, ctx))
  })
}

function isHeldBy(target: InvitationTarget, holder: InvitationHolder): boolean {
  if ('repoId' in holder) return target.kind === 'repository' && target.repo.id === holder.repoId
  if (target.kind !== 'team') return false
  return 'teamId' in holder ? target.team.id === holder.teamId : target.org.id === holder.orgId
}

/** Returns what an invitation gives; undefined when it is being deleted. */
export async function findInvitationTarget(
  { db }: Pick<Services, 'db'>,
  { team_id: teamId, repo_id: repoId }: InvitationRow,
): Promise<InvitationTarget | undefined> {
  const team = teamId === null ? undefined : await findTeam(db, teamId)
  const repo = repoId === null ? undefined : await findRepoById(db, repoId)
  const ownerId = team?.org_id ?? repo?.owner_id
  const owner = ownerId === undefined ? undefined : await findUserById(db, ownerId)
  if (!owner) return undefined
  if (team) return { kind: 'team', team, org: owner }
  return repo && { kind: 'repository', repo, owner }
}

/**
 * Returns an invitation that still gives something: it is open, and its inviter may still give it.
 * @returns undefined for one that has ended
 */
export async function findOpenInvitation(
  services: Services,
  invitation: InvitationRow,
): Promise<OpenInvitation | undefined> {
  if (!isPending(invitation, nowUnix(services.clock))) return undefined
  const [target, inviter] = await Promise.all([
    findInvitationTarget(services, invitation),
    findUserById(services.db, invitation.inviter_id),
  ])
  if (!target || !inviter || inviter.prohibit_login || !inviter.is_active) return undefined
  return (await mayGive(services, target, viewerAs(inviter))).allowed ? { invitation, target, inviter } : undefined
}

/** Returns whether a person and the owner of the target, or the inviter, block each other. */
export const isBlockedFrom = async (
  { db }: Pick<Services, 'db'>,
  { target, inviter }: OpenInvitation,
  person: UserRow,
): Promise<boolean> =>
  (await isBlockedEitherWay(db, ownerOfTarget(target).id, person.id)) ||
  (await isBlockedEitherWay(db, inviter.id, person.id))

/**
 * Returns the invitation of a link. A blocked person gets the answer of an ended one, because blocks are private.
 * @throws NotFound for an unknown code, Gone for an invitation that has ended
 */
export async function openInvitation(ctx: Ctx, code: string): Promise<OpenInvitation> {
  const invitation = code === '' ? undefined : await findInvitationByHash(ctx.db, hashToken(code))
  if (!invitation) throw noInvitation()
  const open = await findOpenInvitation(ctx, invitation)
  if (!open || (ctx.viewer && (await isBlockedFrom(ctx, open, ctx.viewer.user)))) throw endedInvitation()
  return open
}

/** Returns whether an account has confirmed the address of an invitation; true for a link without an address. */
export async function isForAddressOf(ctx: SignedInCtx, { invitation }: OpenInvitation): Promise<boolean> {
  if (invitation.email === '') return true
  const own = await emailsOf(ctx, ctx.viewer.user)
  return own.some((email) => email.is_activated && email.lower_email === invitation.lower_email)
}

/**
 * Gives the viewer what the invitation says, once.
 * @throws NotFound, Gone, Invalid when the viewer has it already
 */
export async function acceptInvitation(ctx: SignedInCtx, code: string): Promise<OpenInvitation> {
  const open = await openInvitation(ctx, code)
  const { invitation, target } = open
  if (target.kind === 'repository') refuseNeedless(target.owner, ctx.viewer.user)
  await transaction(ctx.db, async (tx) => {
    const end = { outcome: 'accepted', nowUnix: nowUnix(ctx.clock), acceptedById: ctx.viewer.id } as const
    if (!(await endInvitation(tx, invitation.id, end))) throw endedInvitation()
    if (!(await giveTarget(ctx, tx, target, invitation.access_mode))) {
      throw new Invalid('this account has the access already; the invitation stays open', 'invitation_needless')
    }
    await publish(tx, 'invitation.accepted', factsOf(invitation, target, ctx))
  })
  return open
}

const giveTarget = (ctx: SignedInCtx, tx: Tx, target: InvitationTarget, access: AccessMode): Promise<boolean> =>
  target.kind === 'team'
    ? joinTeam(ctx, tx, target.team, ctx.viewer.user)
    : raiseCollaboration({ clock: ctx.clock, viewer: ctx.viewer, repo: target.repo, owner: target.owner }, tx, {
        user: ctx.viewer.user,
        next: access,
      })

/** Declines an invitation, which ends it. The inviter does not learn the account. @throws NotFound, Gone */
export async function declineInvitation(ctx: SignedInCtx, code: string): Promise<void> {
  const { invitation, target } = await openInvitation(ctx, code)
  await transaction(ctx.db, async (tx) => {
    const end = { outcome: 'declined', nowUnix: nowUnix(ctx.clock), acceptedById: null } as const
    if (!(await endInvitation(tx, invitation.id, end))) throw endedInvitation()
    await publish(tx, 'invitation.declined', factsOf(invitation, target, ctx))
  })
}

/** Deletes invitations whose link need not be explained any more. */
export async function forgetOldInvitations({ db, clock }: Services): Promise<void> {
  const before = nowUnix(clock) - keptSeconds
  await transaction(db, (tx) => deleteInvitationsBefore(tx, before))
}
