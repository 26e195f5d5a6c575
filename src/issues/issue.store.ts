import { sql, type Expression } from 'kysely'
import { bytewise } from '../db/bytewise.ts'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { isAmong } from '../db/portable.ts'
import { preparedQueries, preparedQuery } from '../db/prepared.ts'
import { hasRow } from '../db/rows.ts'
import type { AttachmentRow, IssueChange, IssueRow, LabelRow, MilestoneRow, NewIssueRow } from '../db/tables/issues.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueId, LabelId, MilestoneId, RepoId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { revisionOf, revisionOfRow, userRevisions } from './revision.store.ts'
import { furtherWordsOfIssue } from './search/further-words.parse.ts'

/** The id of an issue and the id of its repository. */
export type IssueKey = Pick<IssueRow, 'id' | 'repo_id'>

const issueByNumber = preparedQuery((db: Db, repoId: RepoId, index: number) =>
  db.selectFrom('issue').selectAll().where('repo_id', '=', repoId).where('index', '=', index),
)

/** Returns an issue or pull request by number. */
export const findIssue = async (db: Db, repoId: RepoId, index: number): Promise<IssueRow | undefined> =>
  isNumber(index) ? (await issueByNumber(db, repoId, index))[0] : undefined

const isNumber = (index: number): boolean => index > 0 && index < 2 ** 31

/** @param repoId the id of a repository, or a query that returns it */
const stateIn = (db: Db, repoId: Expression<RepoId> | RepoId, index: number) =>
  db
    .selectFrom('issue')
    .select([
      'id',
      'repo_id',
      'is_pull',
      'poster_id',
      revisionOf('issue'),
      revisionOfRow('user', 'issue.poster_id').as('poster'),
      revisionOfRow('milestone', 'issue.milestone_id').as('milestone'),
      sql<string | null>`(
        select string_agg(label_id || ':' || ${revisionOfRow('label', 'label_id')}, ',')
        from issue_label where issue_id = issue.id)`.as('labels'),
      sql<string | null>`(
        select string_agg(user_id || ':' || ${revisionOfRow('user', 'user_id')}, ',')
        from issue_assignee where issue_id = issue.id)`.as('assignees'),
    ])
    .where('repo_id', '=', repoId)
    .where('index', '=', index)

const stateOfNumber = preparedQuery((db: Db, repoId: RepoId, index: number) => stateIn(db, repoId, index))

const stateOfPath = preparedQuery((db: Db, lowerOwner: string, lowerName: string, index: number) => {
  const owner = db.selectFrom('user').select('id').where('lower_name', '=', lowerOwner)
  const repo = db.selectFrom('repo').select('id').where('owner_id', '=', owner).where('lower_name', '=', lowerName)
  return stateIn(db, repo as Expression<RepoId>, index)
})

/** The id of an issue, and the revisions of all rows that its presentation uses, as one text. */
export interface IssueState extends IssueKey, Pick<IssueRow, 'is_pull' | 'poster_id'> {
  readonly revisions: string
}

type StateRow = Awaited<ReturnType<typeof stateOfNumber>>[number]

export const findIssueState = async (db: Db, repoId: RepoId, index: number): Promise<IssueState | undefined> =>
  isNumber(index) ? stateOf(await stateOfNumber(db, repoId, index)) : undefined

/** @param owner the name of the owner; letter case does not matter in `owner` and `repo` */
export const findIssueStateOfPath = async (
  db: Db,
  owner: string,
  repo: string,
  index: number,
): Promise<IssueState | undefined> =>
  isNumber(index) ? stateOf(await stateOfPath(db, owner.toLowerCase(), repo.toLowerCase(), index)) : undefined

function stateOf([row]: readonly StateRow[]): IssueState | undefined {
  if (!row) return undefined
  const { id, repo_id, is_pull, poster_id, revision, poster, milestone, labels, assignees } = row
  return { id, repo_id, is_pull, poster_id, revisions: `${revision} ${poster} ${milestone} ${labels} ${assignees}` }
}

const commentsStateOfNumber = preparedQuery((db: Db, repoId: RepoId, index: number, posterIds: string) =>
  db
    .selectFrom('issue')
    .select(['id', 'index', 'is_pull', revisionOf('issue'), userRevisions(db, posterIds)])
    .where('repo_id', '=', repoId)
    .where('index', '=', index),
)

/** The id of an issue, and the revisions of the issue and its comments. */
export interface CommentsState extends Pick<IssueRow, 'id' | 'index' | 'is_pull'> {
  readonly revision: number
  /** Revisions of the requested accounts, in the form of `RevisionTexts`. */
  readonly user: string | null
}

/** @param posterIds accounts whose revisions are returned as well, in the form of `idListText` */
export const findCommentsState = async (
  db: Db,
  repoId: RepoId,
  index: number,
  posterIds: string,
): Promise<CommentsState | undefined> =>
  isNumber(index) ? (await commentsStateOfNumber(db, repoId, index, posterIds))[0] : undefined

export const findIssueById = (db: Db, id: IssueId): Promise<IssueRow | undefined> =>
  db.selectFrom('issue').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns an issue and locks its row until the transaction ends. SQLite needs no row lock: it has one writer. */
export const findIssueForUpdate = (tx: Tx, id: IssueId): Promise<IssueRow | undefined> =>
  tx
    .updateTable('issue')
    .set({ content_version: sql`content_version` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Loads issues by id in one query. */
export async function loadIssues(db: Db, ids: Iterable<IssueId | null>): Promise<ReadonlyMap<IssueId, IssueRow>> {
  const wanted = [...new Set(ids)].filter((id): id is IssueId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('issue').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the next number of a repository. Concurrent callers get different numbers. */
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
  tx
    .insertInto('issue')
    .values({ ...values, further_words: furtherWordsOfIssue(values) })
    .returningAll()
    .executeTakeFirstOrThrow()

export const updateIssue = (tx: Tx, id: IssueId, change: IssueChange): Promise<IssueRow> =>
  tx.updateTable('issue').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Sets the time of the last change of issues. */
export async function touchIssues(tx: Tx, ids: readonly IssueId[], unix: Unix): Promise<void> {
  if (ids.length > 0) await tx.updateTable('issue').set({ updated_unix: unix }).where('id', 'in', ids).execute()
}

export const deleteIssueRow = (tx: Tx, id: IssueId) => tx.deleteFrom('issue').where('id', '=', id).execute()

/** Changes to the number of issues or pull requests, and of the closed ones among them. Negative numbers subtract. */
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

/** @param time how the milestone's time of change is set: to this time, or to the later of this and its own */
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

/** Subtracts the issues of a repository from the counters of organization labels, before the repository is deleted. */
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

/** Returns the issues, or the pull requests, of a repository with the given numbers, in the order of numbers. */
export async function listIssuesByNumbers(
  db: Db,
  repoId: RepoId,
  isPull: boolean,
  numbers: readonly number[],
): Promise<IssueRow[]> {
  const known = numbers.filter(isNumber)
  if (known.length === 0) return []
  return db
    .selectFrom('issue')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('index', 'in', known)
    .where('is_pull', '=', isPull)
    .orderBy('index')
    .execute()
}

/** Returns issues and pull requests by an author in all repositories, in the order of ids, after `after`. */
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

/** Returns the labels of an issue, by name. */
export const listLabelsOf = (db: Db, issueId: IssueId): Promise<LabelRow[]> =>
  db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .where('issue_label.issue_id', '=', issueId)
    .orderBy(bytewise(db, 'label.name'))
    .orderBy('label.id')
    .execute()

/** Selects the related rows of issues, and the given authors and milestones. */
function selectAround(
  db: Db,
  isOfThese: Expression<IssueId>,
  posterIds: Expression<unknown>,
  milestoneIds: Expression<unknown>,
) {
  const onThese = db.selectFrom('issue_label').where('issue_id', 'in', isOfThese)
  const assigned = db.selectFrom('issue_assignee').where('issue_id', 'in', isOfThese)
  return {
    pairs: onThese.select(['issue_id', 'label_id']),
    labels: db
      .selectFrom('label')
      .selectAll()
      .where(isAmong(db, sql.ref('id'), onThese.select('label_id')))
      .orderBy(bytewise(db, 'name'))
      .orderBy('id'),
    assigned: assigned.select(['id', 'issue_id', 'user_id']),
    milestones: db
      .selectFrom('milestone')
      .selectAll()
      .where(isAmong(db, sql.ref('id'), milestoneIds)),
    files: db
      .selectFrom('attachment')
      .selectAll()
      .where('issue_id', 'in', isOfThese)
      .where('comment_id', 'is', null)
      .orderBy('id'),
    users: db
      .selectFrom('user')
      .selectAll()
      // One list of ids: PostgreSQL scans all accounts for an `or` of two lists.
      .where(
        isAmong(
          db,
          sql.ref('id'),
          sql`(select * from ${posterIds} as posters union select * from ${assigned.select('user_id')} as assignees)`,
        ),
      ),
  }
}

const aroundIssues = preparedQueries((db: Db, ids: string, posterIds: string, milestoneIds: string) =>
  selectAround(db, idList(db, ids) as Expression<IssueId>, idList(db, posterIds), idList(db, milestoneIds)),
)

const wholeIssues = preparedQueries((db: Db, ids: string) => {
  const isOfThese = idList(db, ids) as Expression<IssueId>
  const these = db.selectFrom('issue').where('id', 'in', isOfThese)
  const { labels, milestones, users, ...others } = selectAround(
    db,
    isOfThese,
    these.select('poster_id'),
    these.select('milestone_id'),
  )
  return {
    issues: these.selectAll().select(revisionOf('issue')),
    labels: labels.select(revisionOf('label')),
    milestones: milestones.select(revisionOf('milestone')),
    users: users.select(revisionOf('user')),
    ...others,
  }
})

/** Rows that the presentation of issues uses besides the issues. */
export interface AroundIssues {
  /** Sorted by name. Issues share one object for each label. */
  readonly labels: ReadonlyMap<IssueId, readonly LabelRow[]>
  /** In the order of assignment. */
  readonly assignees: ReadonlyMap<IssueId, readonly UserId[]>
  readonly milestones: ReadonlyMap<MilestoneId, MilestoneRow>
  /** Files attached to the texts of the issues, oldest first, without those of comments. */
  readonly files: ReadonlyMap<IssueId | null, readonly AttachmentRow[]>
  readonly users: ReadonlyMap<UserId, UserRow>
}

/** Loads the related rows of issues in one round of queries. */
export const loadAroundIssues = async (
  db: Db,
  issues: readonly Pick<IssueRow, 'id' | 'poster_id' | 'milestone_id'>[],
): Promise<AroundIssues> =>
  aroundOf(
    await aroundIssues(
      db,
      idListText(issues.map((issue) => issue.id)),
      idListText(issues.map((issue) => issue.poster_id)),
      idListText(issues.flatMap((issue) => (issue.milestone_id === null ? [] : [issue.milestone_id]))),
    ),
  )

type Revised<Row> = Row & { readonly revision: number }

/** Issues with their related rows, and the revisions of all these rows in the same snapshot. */
export interface WholeIssues {
  readonly issues: readonly Revised<IssueRow>[]
  readonly around: AroundIssues
  readonly labels: readonly Revised<LabelRow>[]
  readonly milestones: readonly Revised<MilestoneRow>[]
  readonly users: readonly Revised<UserRow>[]
}

export async function loadWholeIssues(db: Db, ids: readonly IssueId[]): Promise<WholeIssues> {
  const { issues, ...found } = await wholeIssues(db, idListText(ids))
  return { issues, around: aroundOf(found), labels: found.labels, milestones: found.milestones, users: found.users }
}

const aroundOf = ({
  pairs,
  labels,
  assigned,
  milestones,
  files,
  users,
}: Awaited<ReturnType<typeof aroundIssues>>): AroundIssues => ({
  labels: labelsByIssue(pairs, labels),
  assignees: mapOfLists(
    assigned.toSorted((one, other) => one.id - other.id),
    (row) => [row.issue_id, row.user_id],
  ),
  milestones: new Map(milestones.map((row) => [row.id, row])),
  files: Map.groupBy(files, (file) => file.issue_id),
  users: new Map(users.map((row) => [row.id, row])),
})

function labelsByIssue(
  pairs: readonly { readonly issue_id: IssueId; readonly label_id: LabelId }[],
  labels: readonly LabelRow[],
): Map<IssueId, LabelRow[]> {
  const indexes = new Map(labels.map((label, index) => [label.id, index]))
  const placed = pairs.flatMap(({ issue_id: issueId, label_id: id }) => {
    const index = indexes.get(id)
    return index === undefined ? [] : [{ issueId, index }]
  })
  placed.sort((one, other) => one.index - other.index)
  return mapOfLists(placed, ({ issueId, index }) => [issueId, labels[index] as LabelRow])
}

function mapOfLists<Row, Key, Value>(
  rows: readonly Row[],
  entryOf: (row: Row) => readonly [Key, Value],
): Map<Key, Value[]> {
  const lists = new Map<Key, Value[]>()
  for (const row of rows) {
    const [key, value] = entryOf(row)
    const list = lists.get(key)
    if (list) list.push(value)
    else lists.set(key, [value])
  }
  return lists
}

export async function loadMilestones(
  db: Db,
  ids: Iterable<MilestoneId | null>,
): Promise<ReadonlyMap<MilestoneId, MilestoneRow>> {
  const wanted = [...new Set(ids)].filter((id): id is MilestoneId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('milestone').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the files attached to the text of an issue, oldest first, without those of comments. */
export const listFilesOf = (db: Db, issueId: IssueId): Promise<readonly AttachmentRow[]> =>
  db
    .selectFrom('attachment')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('comment_id', 'is', null)
    .orderBy('id')
    .execute()

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

/** Returns accounts by name; letter case does not matter. */
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

/** Returns the accounts, out of a list, that block a user. */
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

/** Returns whether an issue depends on an open one. */
export const hasOpenDependency = (tx: Tx, issueId: IssueId): Promise<boolean> =>
  hasRow(
    tx
      .selectFrom('issue_dependency')
      .innerJoin('issue', 'issue.id', 'issue_dependency.dependency_id')
      .where('issue_dependency.issue_id', '=', issueId)
      .where('issue.is_closed', '=', false),
  )

/** Records mentions and ignores those that exist. */
export async function insertMentions(tx: Tx, issueId: IssueId, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('issue_mention')
    .values(userIds.map((userId) => ({ issue_id: issueId, user_id: userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
