import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { textList, textListText } from '../db/id-list.ts'
import { changesRow } from '../db/rows.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { CheckState, NewPullRow, PullChange, PullRow } from '../db/tables/pulls.ts'
import type { IssueId, Oid, PullId, RepoId, UserId } from '../lib/ids.ts'

export const findPullByIssue = (db: Db | Tx, issueId: IssueId): Promise<PullRow | undefined> =>
  db.selectFrom('pull').selectAll().where('issue_id', '=', issueId).executeTakeFirst()

export const findPullById = (db: Db | Tx, id: PullId): Promise<PullRow | undefined> =>
  db.selectFrom('pull').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the pull requests of issues with one query. */
export async function loadPulls(db: Db | Tx, issueIds: readonly IssueId[]): Promise<ReadonlyMap<IssueId, PullRow>> {
  if (issueIds.length === 0) return new Map()
  const rows = await db.selectFrom('pull').selectAll().where('issue_id', 'in', issueIds).execute()
  return new Map(rows.map((row) => [row.issue_id, row]))
}

export const insertPull = (tx: Tx, values: NewPullRow): Promise<PullRow> =>
  tx.insertInto('pull').values(values).returningAll().executeTakeFirstOrThrow()

export const updatePull = (tx: Tx, id: PullId, change: PullChange): Promise<PullRow> =>
  tx.updateTable('pull').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Returns the row and locks it until the transaction ends. */
export const findPullForUpdate = (tx: Tx, id: PullId): Promise<PullRow | undefined> =>
  tx
    .updateTable('pull')
    .set({ check_version: sql`check_version` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Marks pull requests for a new check; the new version discards the results of running checks. */
export async function requestChecks(tx: Tx, ids: readonly PullId[], change: PullChange = {}): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('pull')
    .set({ ...change, check_state: 'checking', check_version: sql`check_version + 1` })
    .where('id', 'in', ids)
    .execute()
}

/** Moves the head of a pull request and marks it for a new check; false when the head has moved meanwhile. */
export const requestChecksAt = (tx: Tx, pull: PullRow, head: Oid): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('pull')
      .set({ head_oid: head, check_state: 'checking', check_version: sql`check_version + 1` })
      .where('id', '=', pull.id)
      .where('head_oid', '=', pull.head_oid),
  )

export interface CheckResult {
  readonly check_state: CheckState
  readonly merge_base: Oid | ''
  readonly additions: number
  readonly deletions: number
  readonly changed_files: number
}

/** Stores the result of a check; undefined when the pull request is merged or a newer check was requested. */
export const updateChecked = (
  tx: Tx,
  pull: Pick<PullRow, 'id' | 'check_version'>,
  result: CheckResult,
): Promise<PullRow | undefined> =>
  tx
    .updateTable('pull')
    .set({ ...result })
    .where('id', '=', pull.id)
    .where('check_version', '=', pull.check_version)
    .where('is_merged', '=', false)
    .returningAll()
    .executeTakeFirst()

/** Records that the pull request is synchronized with a commit; false when a concurrent call has recorded a commit. */
export const updateSynced = (tx: Tx, pull: PullRow, to: Oid): Promise<boolean> =>
  changesRow(
    tx.updateTable('pull').set({ synced_oid: to }).where('id', '=', pull.id).where('synced_oid', '=', pull.synced_oid),
  )

/** A pull request with its issue. */
export interface PullPair {
  readonly pull: PullRow
  readonly issue: IssueRow
}

/** Returns the open pull requests whose head or base is one of the branches. */
export async function listOpenByBranch(
  db: Db | Tx,
  side: 'head' | 'base',
  repoId: RepoId,
  branches: readonly string[],
): Promise<PullRow[]> {
  if (branches.length === 0) return []
  // One argument keeps the statement within the limit of parameters.
  const names = textList(db, textListText(branches))
  const query = db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .selectAll('pull')
    .where('issue.is_closed', '=', false)
    .where('pull.is_merged', '=', false)
    .orderBy('pull.id')
  return side === 'head'
    ? query
        .where('pull.head_repo_id', '=', repoId)
        .where('pull.head_branch', 'in', names)
        .where('pull.flow', '=', 0)
        .execute()
    : query.where('pull.repo_id', '=', repoId).where('pull.base_branch', 'in', names).execute()
}

/** The base and head branches of a pull request. */
export interface BranchPair {
  readonly repoId: RepoId
  readonly baseBranch: string
  readonly headRepoId: RepoId
  readonly headBranch: string
  readonly flow: 0 | 1
}

const betweenBranches = (db: Db | Tx, route: BranchPair) =>
  db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .selectAll('pull')
    .where('pull.repo_id', '=', route.repoId)
    .where('pull.base_branch', '=', route.baseBranch)
    .where('pull.head_repo_id', '=', route.headRepoId)
    .where('pull.head_branch', '=', route.headBranch)

/** Returns the open pull request between two branches. */
export const findOpenBetween = (db: Db | Tx, route: BranchPair): Promise<PullRow | undefined> =>
  betweenBranches(db, route)
    .where('pull.flow', '=', route.flow)
    .where('issue.is_closed', '=', false)
    .orderBy('pull.id')
    .limit(1)
    .executeTakeFirst()

/** Returns the oldest pull request between two branches, in any state. */
export const findOldestBetween = (db: Db, route: Omit<BranchPair, 'flow'>): Promise<PullRow | undefined> =>
  betweenBranches(db, { ...route, flow: 0 })
    .orderBy('pull.id')
    .limit(1)
    .executeTakeFirst()

export const findPullByMergeCommit = (db: Db, repoId: RepoId, oid: Oid): Promise<PullRow | undefined> =>
  db
    .selectFrom('pull')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('merge_oid', '=', oid)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Returns the existing branches among the wanted ones. */
export async function listBranchHeads(
  db: Db | Tx,
  wanted: readonly { readonly repoId: RepoId; readonly names: readonly string[] }[],
): Promise<{ repo_id: RepoId; name: string; commit_oid: Oid; pusher_id: UserId | null }[]> {
  if (wanted.length === 0) return []
  return db
    .selectFrom('branch')
    .select(['repo_id', 'name', 'commit_oid', 'pusher_id'])
    .where('is_deleted', '=', false)
    .where((where) =>
      where.or(
        wanted.map(({ repoId, names }) => where.and([where('repo_id', '=', repoId), where('name', 'in', names)])),
      ),
    )
    .execute()
}

/** Changes the base and head branches of pull requests after a branch was renamed. */
export const renameBranchOfPulls = async (
  tx: Tx,
  repoId: RepoId,
  names: { readonly oldName: string; readonly newName: string },
): Promise<void> => {
  await tx
    .updateTable('pull')
    .set({ base_branch: names.newName })
    .where('repo_id', '=', repoId)
    .where('base_branch', '=', names.oldName)
    .execute()
  await tx
    .updateTable('pull')
    .set({ head_branch: names.newName })
    .where('head_repo_id', '=', repoId)
    .where('head_branch', '=', names.oldName)
    .where('flow', '=', 0)
    .execute()
}

/** Changes the topics of an account after it was renamed. */
export const renameTopicsOf = async (
  tx: Tx,
  posterId: UserId,
  names: { readonly oldName: string; readonly newName: string },
): Promise<void> => {
  const prefix = `${names.oldName.toLowerCase()}/`
  await tx
    .updateTable('pull')
    .set({ head_branch: sql`${`${names.newName.toLowerCase()}/`} || substr(head_branch, ${prefix.length + 1})` })
    .where('flow', '=', 1)
    .where(sql<boolean>`substr(head_branch, 1, ${prefix.length}) = ${prefix}`)
    .where('issue_id', 'in', (select) =>
      select
        .selectFrom('issue')
        .select('issue.id')
        .where('issue.poster_id', '=', posterId)
        .where('issue.is_pull', '=', true),
    )
    .execute()
}

/** Returns the pull requests whose head lies in a repository. */
export const listPullsFromRepo = (tx: Tx, headRepoId: RepoId): Promise<PullRow[]> =>
  tx.selectFrom('pull').selectAll().where('head_repo_id', '=', headRepoId).orderBy('id').execute()

/** Returns pull requests of a base repository with numbers above `after`, in ascending order. */
export const listPullsFrom = (db: Db, repoId: RepoId, after: number, limit: number): Promise<PullRow[]> =>
  db
    .selectFrom('pull')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('index', '>', after)
    .orderBy('index')
    .limit(limit)
    .execute()

export const detachHeadRepo = (tx: Tx, headRepoId: RepoId) =>
  tx.updateTable('pull').set({ head_repo_id: null }).where('head_repo_id', '=', headRepoId).execute()

/** Locks the repository until the transaction ends, so that no other pull request is opened. */
export const lockRepo = (tx: Tx, repoId: RepoId) =>
  tx
    .updateTable('repo')
    .set({ last_index: sql`last_index` })
    .where('id', '=', repoId)
    .execute()

/** Returns the recorded commit of a branch and locks its row until the transaction ends. */
export const lockBranch = async (tx: Tx, repoId: RepoId, name: string): Promise<Oid | undefined> =>
  (
    await tx
      .updateTable('branch')
      .set({ commit_oid: sql`commit_oid` })
      .where('repo_id', '=', repoId)
      .where('name', '=', name)
      .where('is_deleted', '=', false)
      .returning('commit_oid')
      .executeTakeFirst()
  )?.commit_oid

/** Updates the head of a reopened pull request; closed pull requests do not follow their branches. */
export async function resumeFollowing(tx: Tx, issueId: IssueId): Promise<void> {
  const pull = await findPullByIssue(tx, issueId)
  if (!pull) return
  const isBranch = pull.flow === 0 && pull.head_repo_id !== null
  const [head] = isBranch
    ? await listBranchHeads(tx, [{ repoId: pull.head_repo_id as RepoId, names: [pull.head_branch] }])
    : []
  await requestChecks(tx, [pull.id], head ? { head_oid: head.commit_oid } : {})
}
