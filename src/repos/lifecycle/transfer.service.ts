import { findRepoByName } from '../../access/access.store.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { refuseOverQuotaWithout } from '../../access/quota/reservation.service.ts'
import { accessTo } from '../../access/repo-access.ts'
import { mode } from '../../access/rights.ts'
import { listUsageOf, moveUsage } from '../../access/quota/usage.store.ts'
import { viewerAs } from '../../auth/viewer.ts'
import { isUniqueViolation, transaction, type Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { TeamId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { orgMembership } from '../../orgs/membership.service.ts'
import { insertTeamRepos, listAllRepoMemberIds, loadTeams } from '../../orgs/team.store.ts'
import { isBlocked } from '../../users/social/block.store.ts'
import { findShownUser } from '../../users/user.service.ts'
import { findUserById } from '../../users/user.store.ts'
import { deleteTeamReposOf } from '../people/team-repo.store.ts'
import {
  addToRepoCount,
  deleteRepoRedirect,
  findRepoById,
  insertRepoRedirect,
  updateRepo,
  upsertCollaboration,
} from '../repo.store.ts'
import { publishRemovedCollaborations } from '../people/collaboration.service.ts'
import { deleteCollaborationsOfMembers } from '../people/collaboration.store.ts'
import { deleteTransfer, findTransfer, insertTransfer } from './transfer.store.ts'
import { watchRepos } from '../social/watch.store.ts'

/** The result of a transfer: completed, or waiting for the recipient. */
export type TransferOutcome =
  | { readonly kind: 'done'; readonly repo: RepoRow; readonly owner: UserRow }
  | { readonly kind: 'pending'; readonly repo: RepoRow }

const nameTaken = (recipient: UserRow, repo: RepoRow) =>
  new Invalid(`${recipient.name} has a repository of the name ${repo.name} already`, 'repo_name_taken')

/** Returns the account of a name. Throws `NotFound` if it does not exist or the viewer may not see it. */
async function getRecipient(ctx: SignedInRepoCtx, name: string): Promise<UserRow> {
  const recipient = await findShownUser(ctx, name)
  if (!recipient) throw new NotFound('the new owner does not exist', 'user_not_found')
  return recipient
}

async function checkTeams(ctx: SignedInRepoCtx, recipient: UserRow, teamIds: readonly TeamId[]): Promise<void> {
  if (teamIds.length === 0) return
  if (recipient.kind !== 'organization') throw new Invalid('only an organization has teams', 'owner_not_organization')
  const teams = await loadTeams(ctx.db, teamIds)
  const known = new Map(teams.map((team) => [team.id, team]))
  for (const id of teamIds) {
    const team = known.get(id)
    if (!team) throw new Invalid(`the team ${id} does not exist`, 'team_not_found')
    if (team.org_id !== recipient.id) throw new Forbidden('a team belongs to another organization', 'team_of_other')
  }
}

/** Returns whether the viewer may accept a repository for an account. */
async function maySpeakFor(ctx: SignedInRepoCtx, account: UserRow): Promise<boolean> {
  if (ctx.viewer.isAdmin || ctx.viewer.id === account.id) return true
  return account.kind === 'organization' && (await orgMembership(ctx.db, account.id, ctx.viewer.id)).mayCreateRepos
}

/**
 * Transfers the repository to another account: at once when the viewer may accept for the recipient, else as an
 * offer. Refusals follow the contract's table of transfers.
 */
export async function transferRepo(
  ctx: SignedInRepoCtx,
  input: { readonly newOwner: string; readonly teamIds: readonly TeamId[] },
): Promise<TransferOutcome> {
  const { repo, viewer, db } = ctx
  const recipient = await getRecipient(ctx, input.newOwner)
  await checkTeams(ctx, recipient, input.teamIds)
  await refuseOverQuota(ctx, recipient, 'size:repos:all')
  if (repo.has_transfer) throw new Conflict('a transfer is waiting already', 'transfer_pending')
  if (await findRepoByName(db, recipient.id, repo.lower_name)) throw nameTaken(recipient, repo)
  if (await isBlocked(db, recipient.id, viewer.id)) throw new Forbidden('the recipient blocks you', 'user_blocked')
  if (await maySpeakFor(ctx, recipient)) {
    return { kind: 'done', owner: recipient, repo: await complete(ctx, recipient, input.teamIds) }
  }
  return { kind: 'pending', repo: await offer(ctx, recipient, input.teamIds) }
}

async function offer(ctx: SignedInRepoCtx, recipient: UserRow, teamIds: readonly TeamId[]): Promise<RepoRow> {
  const { repo, owner, db, viewer } = ctx
  const now = nowUnix(ctx.clock)
  const { rights } = await accessTo(db, viewerAs(recipient), owner, repo)
  const needsAccess = recipient.kind === 'individual' && rights.rank === mode.none
  try {
    return await transaction(db, async (tx) => {
      await insertTransfer(tx, {
        repo_id: repo.id,
        doer_id: viewer.id,
        recipient_id: recipient.id,
        team_ids: JSON.stringify(teamIds),
        created_unix: now,
      })
      // The recipient must be able to see the offered repository (contract, repositories: transfer).
      if (needsAccess) {
        await upsertCollaboration(tx, repo.id, recipient.id, mode.read, now)
        await publish(tx, 'collaborator.added', {
          ...{ repoId: repo.id, userId: recipient.id, doerId: viewer.id },
          mode: mode.read,
        })
      }
      await publish(tx, 'repo.transferOffered', { repoId: repo.id, doerId: viewer.id, recipientId: recipient.id })
      return (await findRepoById(tx, repo.id)) ?? repo
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('a transfer is waiting already', 'transfer_pending')
    throw error
  }
}

async function complete(ctx: SignedInRepoCtx, recipient: UserRow, teamIds: readonly TeamId[]): Promise<RepoRow> {
  try {
    return await transaction(ctx.db, async (tx) => {
      const moved = await moveRepo(tx, ctx, recipient, teamIds)
      const usage = await listUsageOf(tx, [moved.id])
      const added = Object.fromEntries(usage.map((row) => [row.kind, row.size_bytes]))
      await refuseOverQuotaWithout(ctx, tx, { owner: recipient, subject: 'size:repos:all', added })
      return moved
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(recipient, ctx.repo)
    throw error
  }
}

async function moveRepo(
  tx: Tx,
  { repo, owner, viewer, config, clock }: SignedInRepoCtx,
  recipient: UserRow,
  teamIds: readonly TeamId[],
): Promise<RepoRow> {
  const now = nowUnix(clock)
  await deleteTransfer(tx, repo.id)
  await updateRepo(tx, repo.id, { owner_id: recipient.id, updated_unix: now })
  await moveUsage(tx, repo.id, recipient.id)
  await addToRepoCount(tx, owner.id, -1)
  await addToRepoCount(tx, recipient.id, 1)
  await deleteRepoRedirect(tx, recipient.id, repo.lower_name)
  await insertRepoRedirect(tx, owner.id, repo.lower_name, repo.id)
  await publishRemovedCollaborations(tx, await deleteCollaborationsOfMembers(tx, repo.id, recipient.id), viewer.id)
  const about = { repoId: repo.id, doerId: viewer.id }
  for (const { team_id: teamId, org_id: orgId } of await deleteTeamReposOf(tx, repo.id)) {
    await publish(tx, 'team.repoRemoved', { ...about, teamId, orgId })
  }
  for (const team of await loadTeams(tx, teamIds)) {
    await insertTeamRepos(tx, team, [repo.id])
    await publish(tx, 'team.repoAdded', { ...about, teamId: team.id, orgId: team.org_id })
  }
  if (config.service.autoWatchNewRepos) {
    const watchers = recipient.kind === 'organization' ? await listAllRepoMemberIds(tx, recipient.id) : [recipient.id]
    await watchRepos(tx, [repo.id], watchers, 'auto', now)
  }
  await publish(tx, 'repo.transferred', {
    repoId: repo.id,
    doerId: viewer.id,
    oldOwnerId: owner.id,
    oldOwnerName: owner.name,
    oldName: repo.name,
  })
  if (owner.kind === 'individual') await publish(tx, 'access.reduced', { userId: owner.id, ownerId: recipient.id })
  return (await findRepoById(tx, repo.id)) ?? repo
}

const noTransfer = () => new NotFound('no transfer is waiting', 'no_transfer')

/** A transfer that waits for the recipient. */
export interface PendingTransfer {
  readonly recipient: UserRow
  /** The viewer may accept or reject it. */
  readonly mayDecide: boolean
}

/** Returns the pending transfer of a repository with its recipient. */
async function findOffer({ db, repo }: Pick<RepoCtx, 'db' | 'repo'>) {
  const row = repo.has_transfer ? await findTransfer(db, repo.id) : undefined
  const recipient = row && (await findUserById(db, row.recipient_id))
  return row && recipient && { row, recipient }
}

/** Returns the pending transfer of a repository. */
export async function getPendingTransfer(ctx: RepoCtx): Promise<PendingTransfer | undefined> {
  const offer = await findOffer(ctx)
  if (!offer) return undefined
  const { viewer } = ctx
  const { recipient } = offer
  return { recipient, mayDecide: viewer !== undefined && (await maySpeakFor({ ...ctx, viewer }, recipient)) }
}

/** Takes an offered transfer back. The caller must be an administrator of the repository. */
export async function cancelTransfer(ctx: SignedInRepoCtx): Promise<void> {
  const wasPending = await transaction(ctx.db, (tx) => deleteTransfer(tx, ctx.repo.id))
  if (!wasPending) throw noTransfer()
}

async function getOffer(ctx: SignedInRepoCtx): Promise<{ recipient: UserRow; teamIds: TeamId[] }> {
  const offer = await findOffer(ctx)
  if (!offer) throw noTransfer()
  const { row, recipient } = offer
  if (!(await maySpeakFor(ctx, recipient))) throw new Forbidden('only the recipient may decide', 'not_the_recipient')
  return { recipient, teamIds: JSON.parse(row.team_ids) as TeamId[] }
}

/** Accepts the pending transfer for the viewer or for an organization of the viewer. */
export async function acceptTransfer(
  ctx: SignedInRepoCtx,
): Promise<{ readonly repo: RepoRow; readonly owner: UserRow }> {
  const { recipient, teamIds } = await getOffer(ctx)
  await refuseOverQuota(ctx, recipient, 'size:repos:all')
  return { repo: await complete(ctx, recipient, teamIds), owner: recipient }
}

/** Rejects the pending transfer. */
export async function rejectTransfer(ctx: SignedInRepoCtx): Promise<RepoRow> {
  await getOffer(ctx)
  await transaction(ctx.db, (tx) => deleteTransfer(tx, ctx.repo.id))
  return { ...ctx.repo, has_transfer: false }
}
