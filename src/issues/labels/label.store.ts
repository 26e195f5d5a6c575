import { sql, type Expression } from 'kysely'
import { accountsShownTo } from '../../access/conditions/account-condition.store.ts'
import { readsIssues } from '../../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText, textList, textListText } from '../../db/id-list.ts'
import { preparedQuery } from '../../db/prepared.ts'
import { countRows } from '../../db/rows.ts'
import type { LabelChange, LabelRow, NewLabelRow } from '../../db/tables/issues.ts'
import type { IssueId, LabelId, RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** The owner of labels: a repository or an organization. */
export type LabelHome = { readonly repoId: RepoId } | { readonly orgId: UserId }

const labelsOf = (db: Db, home: LabelHome) => {
  const query = db.selectFrom('label')
  return 'repoId' in home ? query.where('repo_id', '=', home.repoId) : query.where('org_id', '=', home.orgId)
}

export type LabelSort = 'name' | 'reversealphabetically' | 'leastissues' | 'mostissues'

/** Returns one page of labels. */
export function listLabels(db: Db, home: LabelHome, sort: LabelSort, page: Page): Promise<LabelRow[]> {
  const query = labelsOf(db, home).selectAll().limit(page.limit).offset(page.offset)
  const name = bytewise(db, 'name')
  switch (sort) {
    case 'reversealphabetically':
      return query.orderBy(name, 'desc').orderBy('id', 'desc').execute()
    case 'leastissues':
      return query.orderBy('num_issues').orderBy(name).orderBy('id').execute()
    case 'mostissues':
      return query.orderBy('num_issues', 'desc').orderBy(name).orderBy('id').execute()
    case 'name':
      return query.orderBy(name).orderBy('id').execute()
  }
}

export const countLabels = (db: Db, home: LabelHome): Promise<number> => countRows(labelsOf(db, home))

export const findLabel = (db: Db, home: LabelHome, id: LabelId): Promise<LabelRow | undefined> =>
  labelsOf(db, home).selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the oldest label with a name; names are not unique. */
export const findLabelByName = (db: Db, home: LabelHome, name: string): Promise<LabelRow | undefined> =>
  labelsOf(db, home).selectAll().where('name', '=', name).orderBy('id').executeTakeFirst()

/** Returns the labels with any of the ids or names that a repository can use: its own and those of its organization. */
export const listUsableLabels = (
  db: Db,
  repo: { readonly id: RepoId; readonly owner_id: UserId },
  by: { readonly ids: readonly LabelId[] } | { readonly names: readonly string[] },
): Promise<LabelRow[]> =>
  db
    .selectFrom('label')
    .selectAll()
    .where((where) => where.or([where('repo_id', '=', repo.id), where('org_id', '=', repo.owner_id)]))
    .where((where) => ('ids' in by ? where('id', 'in', by.ids) : where('name', 'in', by.names)))
    .orderBy('id')
    .execute()

/**
 * Returns the labels of repositories and accounts that exclude the others of a scope, without archived ones, in the order of
 * their creation. Labels of a scope within the scope are among them.
 */
export const listScopedLabels = (
  db: Db,
  of: { readonly repoIds: readonly RepoId[]; readonly ownerIds: readonly UserId[] },
  scope: string,
): Promise<readonly LabelRow[]> =>
  scopedLabels(db, idListText(of.repoIds), idListText(of.ownerIds), `${scope}/`, Array.from(scope).length + 1)

const scopedLabels = preparedQuery((db: Db, repoIds: string, ownerIds: string, prefix: string, length: number) =>
  db
    .selectFrom('label')
    .selectAll()
    .where((where) =>
      where.or([
        where('repo_id', 'in', idList(db, repoIds) as Expression<RepoId>),
        where('org_id', 'in', idList(db, ownerIds) as Expression<UserId>),
      ]),
    )
    .where('is_exclusive', '=', true)
    .where('archived_unix', '=', 0)
    .where(sql<string>`substr(name, 1, ${length})`, '=', prefix)
    .orderBy('id'),
)

/** Returns the labels of a repository with any of the names. */
export const listLabelIdsByName = (db: Db, repoId: RepoId, names: readonly string[]) =>
  labelIdsByName(db, repoId, textListText(names))

const labelIdsByName = preparedQuery((db: Db, repoId: RepoId, names: string) =>
  db.selectFrom('label').select(['id', 'name']).where('repo_id', '=', repoId).where('name', 'in', textList(db, names)),
)

/** Returns whether a repository or organization that the viewer may see has a label of one of the names. */
export async function areLabelsNamed(db: Db, viewer: Viewer | undefined, names: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ id: LabelId }>`
    select label.id from label where label.name in (${sql.join(names)}) and (
      exists (select 1 from repo cross join "user" as owner where repo.id = label.repo_id and owner.id = repo.owner_id
        and ${readsIssues(viewer)})
      or exists (select 1 from "user" where "user".id = label.org_id and ${accountsShownTo(viewer)})) limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Returns the labels on an issue, by id. */
export const listSetLabels = (db: Db | Tx, issueId: IssueId): Promise<LabelRow[]> =>
  (db as Db)
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .where('issue_label.issue_id', '=', issueId)
    .orderBy('label.id')
    .execute()

export const insertLabels = (tx: Tx, rows: readonly NewLabelRow[]): Promise<LabelRow[]> =>
  tx.insertInto('label').values(rows).returningAll().execute()

export const updateLabel = (tx: Tx, id: LabelId, change: LabelChange): Promise<LabelRow | undefined> =>
  tx.updateTable('label').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Deletes a label, also from issues and timelines. */
export const deleteLabelRow = (tx: Tx, home: LabelHome, id: LabelId) => {
  const query = tx.deleteFrom('label').where('id', '=', id)
  return (
    'repoId' in home ? query.where('repo_id', '=', home.repoId) : query.where('org_id', '=', home.orgId)
  ).execute()
}

export async function insertIssueLabels(tx: Tx, issueId: IssueId, labelIds: readonly LabelId[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx
    .insertInto('issue_label')
    .values(labelIds.map((labelId) => ({ issue_id: issueId, label_id: labelId })))
    .execute()
}

export async function deleteIssueLabels(tx: Tx, issueId: IssueId, labelIds: readonly LabelId[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx.deleteFrom('issue_label').where('issue_id', '=', issueId).where('label_id', 'in', labelIds).execute()
}

export async function loadLabels(db: Db, ids: Iterable<LabelId | null>): Promise<ReadonlyMap<LabelId, LabelRow>> {
  const wanted = [...new Set(ids)].filter((id): id is LabelId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('label').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Removes the labels of an organization from the issues of a repository, and recounts them. */
export async function deleteLabelsOfOwner(tx: Tx, repoId: RepoId, orgId: UserId): Promise<void> {
  const gone = await tx
    .deleteFrom('issue_label')
    .where('issue_id', 'in', tx.selectFrom('issue').select('id').where('repo_id', '=', repoId))
    .where('label_id', 'in', tx.selectFrom('label').select('id').where('org_id', '=', orgId))
    .returning('label_id')
    .execute()
  if (gone.length === 0) return
  await tx
    .updateTable('label')
    .set((label) => ({
      num_issues: label
        .selectFrom('issue_label')
        .select((each) => each.fn.countAll<number>().as('count'))
        .whereRef('issue_label.label_id', '=', 'label.id'),
      num_closed_issues: label
        .selectFrom('issue_label')
        .innerJoin('issue', 'issue.id', 'issue_label.issue_id')
        .select((each) => each.fn.countAll<number>().as('count'))
        .whereRef('issue_label.label_id', '=', 'label.id')
        .where('issue.is_closed', '=', true),
    }))
    .where('org_id', '=', orgId)
    .execute()
}
