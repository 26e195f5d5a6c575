import { sql, type Expression } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { AttachmentRow, IssueChange, IssueRow, LabelRow, MilestoneRow, NewIssueRow } from '../db/tables/issues.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueId, LabelId, MilestoneId, RepoId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

const issueByNumber = preparedQuery((db: Db, repoId: RepoId, index: number) =>
  db.selectFrom('issue').selectAll().where('repo_id', '=', repoId).where('index', '=', index),
)

/** An issue or pull request by its number; the row may be shared with other requests. */
export const findIssue = async (db: Db, repoId: RepoId, index: number): Promise<IssueRow | undefined> =>
  index > 0 && index < 2 ** 31 ? (await issueByNumber(db, repoId, index))[0] : undefined

export const findIssueById = (db: Db, id: IssueId): Promise<IssueRow | undefined> =>
  db.selectFrom('issue').selectAll().where('id', '=', id).executeTakeFirst()

/** The row, locked against others until the transaction ends (SQLite has one writer anyway). */
export const findIssueForUpdate = (tx: Tx, id: IssueId): Promise<IssueRow | undefined> =>
  tx
    .updateTable('issue')
    .set({ content_version: sql`content_version` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Issues by id, in one query however many there are. */
export async function loadIssues(db: Db, ids: Iterable<IssueId | null>): Promise<ReadonlyMap<IssueId, IssueRow>> {
  const wanted = [...new Set(ids)].filter((id): id is IssueId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('issue').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Takes the next number of a repository; of several at once each gets another one. */
export async function takeNumber(tx: Tx, repoId: RepoId): Promise<number> {
  const { last_index: index } = await tx
    .updateTable('repo')
    .set({ last_index: sql`last_index + 1` })
    .where('id', '=', repoId)
    .returning('last_index')
    .executeTakeFirstOrThrow()
  return index
}

export const insertIssue = (tx: Tx, values: NewIssueRow): Promise<IssueRow> =>
  tx.insertInto('issue').values(values).returningAll().executeTakeFirstOrThrow()

export const updateIssue = (tx: Tx, id: IssueId, change: IssueChange): Promise<IssueRow> =>
  tx.updateTable('issue').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** The time of last change of issues. */
export async function touchIssues(tx: Tx, ids: readonly IssueId[], unix: Unix): Promise<void> {
  if (ids.length > 0) await tx.updateTable('issue').set({ updated_unix: unix }).where('id', 'in', ids).execute()
}

export const deleteIssueRow = (tx: Tx, id: IssueId) => tx.deleteFrom('issue').where('id', '=', id).execute()

/** How many issues or pull requests were added (or taken away), and how many of those are closed. */
export interface CountChange {
  readonly total: number
  readonly closed: number
}

export async function addToRepoCounters(tx: Tx, repoId: RepoId, isPull: boolean, by: CountChange): Promise<void> {
  await tx
    .updateTable('repo')
    .set(
      isPull
        ? { num_pulls: sql`num_pulls + ${by.total}`, num_closed_pulls: sql`num_closed_pulls + ${by.closed}` }
        : { num_issues: sql`num_issues + ${by.total}`, num_closed_issues: sql`num_closed_issues + ${by.closed}` },
    )
    .where('id', '=', repoId)
    .execute()
}

/** @param time the time of change of the milestone: this one, or the later of it and its own */
export async function addToMilestoneCounters(
  tx: Tx,
  id: MilestoneId,
  by: CountChange,
  time: { readonly unix: Unix; readonly onlyLater: boolean },
): Promise<void> {
  await tx
    .updateTable('milestone')
    .set({
      num_issues: sql`num_issues + ${by.total}`,
      num_closed_issues: sql`num_closed_issues + ${by.closed}`,
      updated_unix: time.onlyLater
        ? sql`case when updated_unix > ${time.unix} then updated_unix else ${time.unix} end`
        : time.unix,
    })
    .where('id', '=', id)
    .execute()
}

export async function addToLabelCounters(tx: Tx, ids: readonly LabelId[], by: CountChange): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('label')
    .set({ num_issues: sql`num_issues + ${by.total}`, num_closed_issues: sql`num_closed_issues + ${by.closed}` })
    .where('id', 'in', ids)
    .execute()
}

/** Labels of an organization that are on issues of a repository that goes count those no more. */
export async function takeFromOrgLabels(tx: Tx, repoId: RepoId): Promise<void> {
  const worn = (onlyClosed: boolean) => sql<number>`(
    select count(*) from issue_label join issue on issue.id = issue_label.issue_id
    where issue_label.label_id = label.id and issue.repo_id = ${repoId} ${sql.raw(onlyClosed ? 'and issue.is_closed' : '')})`
  await tx
    .updateTable('label')
    .set({ num_issues: sql`num_issues - ${worn(false)}`, num_closed_issues: sql`num_closed_issues - ${worn(true)}` })
    .where('org_id', 'is not', null)
    .where('id', 'in', (select) =>
      select
        .selectFrom('issue_label')
        .innerJoin('issue', 'issue.id', 'issue_label.issue_id')
        .select('issue_label.label_id')
        .where('issue.repo_id', '=', repoId),
    )
    .execute()
}

/** Issues and pull requests that somebody opened, in whatever repositories, in the order of their ids, after `after`. */
export const listIssuesBy = (
  db: Db,
  posterId: UserId,
  after: IssueId | undefined,
  limit: number,
): Promise<IssueRow[]> =>
  db
    .selectFrom('issue')
    .selectAll()
    .where('poster_id', '=', posterId)
    .where('id', '>', after ?? (0 as IssueId))
    .orderBy('id')
    .limit(limit)
    .execute()

/** Labels of issues by name, each with the issue it is on. */
export const listLabelsOf = (db: Db, issueIds: readonly IssueId[]): Promise<(LabelRow & { issue_id: IssueId })[]> =>
  db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .select('issue_label.issue_id')
    .where('issue_label.issue_id', 'in', issueIds)
    .orderBy('label.name')
    .orderBy('label.id')
    .execute()

const labelPairs = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('issue_label')
    .select(['issue_id', 'label_id'])
    .where('issue_id', 'in', idList(db, ids) as Expression<IssueId>),
)

const labelsById = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('label')
    .selectAll()
    .where('id', 'in', idList(db, ids) as Expression<LabelId>)
    .orderBy('name')
    .orderBy('id'),
)

/** Labels of issues by name: two queries, and each label once in memory however many issues have it. */
export async function loadLabelsOf(
  db: Db,
  issueIds: readonly IssueId[],
): Promise<ReadonlyMap<IssueId, readonly LabelRow[]>> {
  const pairs = await labelPairs(db, idListText(issueIds))
  if (pairs.length === 0) return new Map()
  const labels = await labelsById(db, idListText(pairs.map((pair) => pair.label_id)))
  const place = new Map(labels.map((label, index) => [label.id, index]))
  const ordered = pairs.toSorted((one, other) => (place.get(one.label_id) ?? 0) - (place.get(other.label_id) ?? 0))
  const result = new Map<IssueId, LabelRow[]>()
  for (const pair of ordered) {
    const index = place.get(pair.label_id)
    if (index === undefined) continue
    const list = result.get(pair.issue_id)
    if (list) list.push(labels[index] as LabelRow)
    else result.set(pair.issue_id, [labels[index] as LabelRow])
  }
  return result
}

const assigneePairs = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('issue_assignee')
    .select(['issue_id', 'user_id'])
    .where('issue_id', 'in', idList(db, ids) as Expression<IssueId>)
    .orderBy('id'),
)

/** Assignments of issues in their order. */
export const listAssigneesOf = (
  db: Db,
  issueIds: readonly IssueId[],
): Promise<readonly { issue_id: IssueId; user_id: UserId }[]> => assigneePairs(db, idListText(issueIds))

const milestonesById = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('milestone')
    .selectAll()
    .where('id', 'in', idList(db, ids) as Expression<MilestoneId>),
)

/** Milestones by id. */
export async function loadMilestones(
  db: Db,
  ids: Iterable<MilestoneId | null>,
): Promise<ReadonlyMap<MilestoneId, MilestoneRow>> {
  const wanted = [...new Set(ids)].filter((id): id is MilestoneId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await milestonesById(db, idListText(wanted))
  return new Map(rows.map((row) => [row.id, row]))
}

const filesOfIssues = preparedQuery((db: Db, ids: string) =>
  db
    .selectFrom('attachment')
    .selectAll()
    .where('issue_id', 'in', idList(db, ids) as Expression<IssueId>)
    .where('comment_id', 'is', null)
    .orderBy('id'),
)

/** Files of the texts of issues, oldest first; not those of their comments. */
export const listFilesOf = (db: Db, issueIds: readonly IssueId[]): Promise<readonly AttachmentRow[]> =>
  filesOfIssues(db, idListText(issueIds))

/** Repositories by id. */
export async function loadRepos(db: Db, ids: Iterable<RepoId | null>): Promise<ReadonlyMap<RepoId, RepoRow>> {
  const wanted = [...new Set(ids)].filter((id): id is RepoId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('repo').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export const findRepoOfOwner = (db: Db, ownerName: string, repoName: string) =>
  db
    .selectFrom('repo')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .selectAll('repo')
    .where('user.lower_name', '=', ownerName.toLowerCase())
    .where('repo.lower_name', '=', repoName.toLowerCase())
    .executeTakeFirst()

/** Accounts by name, in any letter case. */
export const listUsersByName = (db: Db, names: readonly string[]): Promise<UserRow[]> =>
  names.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('user')
        .selectAll()
        .where(
          'lower_name',
          'in',
          names.map((name) => name.toLowerCase()),
        )
        .execute()

/** Which of some accounts block a user. */
export async function listBlockers(
  db: Db,
  blockerIds: readonly UserId[],
  blockedId: UserId,
): Promise<ReadonlySet<UserId>> {
  const rows = await db
    .selectFrom('user_block')
    .select('blocker_id')
    .where('blocked_id', '=', blockedId)
    .where('blocker_id', 'in', blockerIds)
    .execute()
  return new Set(rows.map((row) => row.blocker_id))
}

export const listAssigneeIds = async (db: Db | Tx, issueId: IssueId): Promise<UserId[]> =>
  (
    await (db as Db)
      .selectFrom('issue_assignee')
      .select('user_id')
      .where('issue_id', '=', issueId)
      .orderBy('id')
      .execute()
  ).map((row) => row.user_id)

export async function insertAssignees(tx: Tx, issueId: IssueId, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('issue_assignee')
    .values(userIds.map((userId) => ({ issue_id: issueId, user_id: userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteAssignees(tx: Tx, issueId: IssueId, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await tx.deleteFrom('issue_assignee').where('issue_id', '=', issueId).where('user_id', 'in', userIds).execute()
}

/** True when an issue depends on one that is open. */
export const hasOpenDependency = async (tx: Tx, issueId: IssueId): Promise<boolean> =>
  (await tx
    .selectFrom('issue_dependency')
    .innerJoin('issue', 'issue.id', 'issue_dependency.dependency_id')
    .select('issue.id')
    .where('issue_dependency.issue_id', '=', issueId)
    .where('issue.is_closed', '=', false)
    .executeTakeFirst()) !== undefined

export const insertContentHistory = (
  tx: Tx,
  rows: readonly {
    issue_id: IssueId
    comment_id: number
    poster_id: UserId
    content: string
    edited_unix: Unix
    is_first: boolean
  }[],
) =>
  tx
    .insertInto('content_history')
    .values(rows as never)
    .execute()

/** Mentions that are not known yet; known ones stay. */
export async function insertMentions(tx: Tx, issueId: IssueId, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('issue_mention')
    .values(userIds.map((userId) => ({ issue_id: issueId, user_id: userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
