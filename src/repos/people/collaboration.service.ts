import { findAccountByFormerName, findAccountByName } from '../../access/access.store.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { sightOf } from '../../access/named-account.ts'
import { accessTo } from '../../access/repo-access.ts'
import { mode, type Rights } from '../../access/rights.ts'
import { viewerAs } from '../../auth/viewer.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { AccessMode, UserRow } from '../../db/tables/accounts.ts'
import type { CollaborationRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { Forbidden, Invalid, NotFound, type Refusal } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { isBlockedEitherWay } from '../../users/social/block.store.ts'
import {
  countCollaborators,
  deleteCollaboration,
  findCollaboration,
  listCollaborations,
  listCollaborators,
} from './collaboration.store.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { onlookerAtPeople } from './candidate.service.ts'
import { upsertCollaboration } from '../repo.store.ts'
import { wordTable } from '../../lib/word-table.ts'

/** Lists the visible collaborators. */
export async function pageOfCollaborators(ctx: RepoCtx, page: Page): Promise<PeoplePage> {
  const { db, repo } = ctx
  const onlooker = onlookerAtPeople(ctx)
  const [users, total] = await Promise.all([
    listCollaborators(db, repo.id, onlooker, page),
    countCollaborators(db, repo.id, onlooker),
  ])
  return { users, ...total }
}

/** A collaborator with the permission. */
export interface Collaborator {
  readonly user: UserRow
  readonly mode: AccessMode
}

/** Lists the visible collaborators with their permissions. */
export async function pageOfCollaborations(
  ctx: RepoCtx,
  page: Page,
): Promise<Omit<PeoplePage, 'users'> & { readonly collaborators: readonly Collaborator[] }> {
  const { users, ...total } = await pageOfCollaborators(ctx, page)
  const ids = users.map((user) => user.id)
  const modeOf = new Map(
    (await listCollaborations(ctx.db, ctx.repo.id, ids)).map((row) => [row.user_id, row.access_mode]),
  )
  return { collaborators: users.map((user) => ({ user, mode: modeOf.get(user.id) ?? mode.none })), ...total }
}

/** Returns the account that a form names, by its present or a former name. Throws `Invalid` for a name that nobody has. */
export async function getPersonToShare(ctx: RepoCtx, name: string): Promise<UserRow> {
  const lower = name.trim().toLowerCase()
  const account = await findAccountByName(ctx.db, lower)
  if (account) return account
  const renamed = await findAccountByFormerName(ctx.db, lower)
  if (!renamed || (await sightOf(ctx, renamed)) === 'hidden') throw noUserToShare()
  return renamed
}

/** The error for an unknown name (recorded, repositories). */
export const noUserToShare = () => new Invalid('the user does not exist', 'user_not_found')

/** Throws `NotFound` unless the account is a collaborator. A hidden account is answered like a name that nobody has. */
export async function checkCollaborator(ctx: RepoCtx, user: UserRow): Promise<void> {
  if (await findCollaboration(ctx.db, ctx.repo.id, user.id)) return
  if ((await sightOf(ctx, user)) !== 'visible') throw noUserToShare()
  throw new NotFound('the user is not a collaborator', 'not_a_collaborator')
}

const modes = wordTable<AccessMode>({ read: mode.read, write: mode.write, admin: mode.admin })

/**
 * Adds a collaborator or changes the permission. Without a known permission a new collaborator gets write access
 * and an existing one keeps theirs. Throws `Forbidden` when one side blocks the other, and `Invalid` for
 * organizations and the owner.
 */
export async function putCollaborator(
  ctx: SignedInRepoCtx,
  user: UserRow,
  permission: string | undefined,
): Promise<void> {
  refuseNeedless(ctx.owner, user)
  if (await isBlockedEitherWay(ctx.db, ctx.owner.id, user.id)) {
    throw new Forbidden('one of the two blocks the other', 'user_blocked')
  }
  const wanted = modeNamed(permission)
  await transaction(ctx.db, async (tx) => {
    const present = await findCollaboration(tx, ctx.repo.id, user.id)
    await storeCollaboration(ctx, tx, { user, present, next: wanted ?? present?.access_mode ?? mode.write })
  })
}

/** Returns the access that a form or request names; undefined for an unknown name. */
export const modeNamed = (permission: string | undefined): AccessMode | undefined => modes[permission ?? '']

/** Throws `Invalid` for organizations and the owner. */
export function refuseNeedless(owner: UserRow, user: UserRow): void {
  if (user.kind !== 'individual') throw new Invalid('an organization cannot be a collaborator', 'not_a_person')
  if (user.id === owner.id) throw new Invalid('the owner needs not be a collaborator', 'collaborator_is_owner')
}

/** Gives a person at least this access to a repository; returns false for a collaborator who has it. */
export async function raiseCollaboration(
  ctx: SharedRepo,
  tx: Tx,
  { user, next }: { readonly user: UserRow; readonly next: AccessMode },
): Promise<boolean> {
  const present = await findCollaboration(tx, ctx.repo.id, user.id)
  if (present && present.access_mode >= next) return false
  await storeCollaboration(ctx, tx, { user, present, next })
  return true
}

type SharedRepo = Pick<SignedInRepoCtx, 'repo' | 'owner' | 'viewer' | 'clock'>

interface CollaborationChange {
  readonly user: UserRow
  readonly present: CollaborationRow | undefined
  readonly next: AccessMode
}

async function storeCollaboration(
  { repo, owner, viewer, clock }: SharedRepo,
  tx: Tx,
  { user, present, next }: CollaborationChange,
): Promise<void> {
  if (present?.access_mode === next) return
  await upsertCollaboration(tx, repo.id, user.id, next, nowUnix(clock))
  const about = { repoId: repo.id, userId: user.id, doerId: viewer.id, mode: next }
  if (!present) return publish(tx, 'collaborator.added', about)
  await publish(tx, 'collaborator.changed', { ...about, oldMode: present.access_mode })
  if (next < present.access_mode) await publish(tx, 'access.reduced', { userId: user.id, ownerId: owner.id })
}

/** Deletes a collaboration, if there is one. */
export async function removeCollaborator(ctx: SignedInRepoCtx, user: UserRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const removed = await deleteCollaboration(tx, ctx.repo.id, user.id)
    if (!removed) return
    await publishRemovedCollaborations(tx, [removed], ctx.viewer.id)
    await publish(tx, 'access.reduced', { userId: user.id, ownerId: ctx.owner.id })
  })
}

/** Publishes the end of collaborations in the transaction that deletes them. */
export async function publishRemovedCollaborations(
  tx: Tx,
  removed: readonly CollaborationRow[],
  doerId: UserId,
): Promise<void> {
  for (const { repo_id: repoId, user_id: userId, access_mode: oldMode } of removed) {
    await publish(tx, 'collaborator.removed', { repoId, userId, doerId, oldMode })
  }
}

/** The answer for a name that nobody has. Only administrators of the repository learn that the account does not exist. */
export const noUserToAskAbout = ({ rights }: SignedInRepoCtx): Refusal =>
  rights.isAdmin ? new NotFound('the user does not exist', 'user_not_found') : askAdmins()

const askAdmins = () => new Forbidden('only administrators of the repository may ask about others', 'repo_admin_only')

/** Returns what an account may do in the repository. Only administrators of the repository may ask about other accounts. */
export async function rightsOfUser(ctx: SignedInRepoCtx, user: UserRow): Promise<Rights> {
  if (ctx.viewer.id !== user.id && !ctx.rights.isAdmin) throw askAdmins()
  return (await accessTo(ctx.db, viewerAs(user), ctx.owner, ctx.repo)).rights
}
