import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { RelationKind } from '../../db/tables/issue-details.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { IssueId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import { maxDepth, maxRelations, wordOf, type RelationWord } from './relation-word.ts'

/** A relation as one of its issues sees it. */
export interface RelationRow {
  readonly word: RelationWord
  /** The other issue. */
  readonly issue: IssueRow
}

/** Returns the relations of an issue, of each kind the earliest first. */
export async function listRelations(db: Db, issueId: IssueId): Promise<RelationRow[]> {
  const sides = await Promise.all(
    (['issue_id', 'other_id'] as const).map(async (own) => {
      const rows = await db
        .selectFrom('issue_relation as relation')
        .innerJoin('issue', 'issue.id', own === 'issue_id' ? 'relation.other_id' : 'relation.issue_id')
        .selectAll('issue')
        .select(['relation.kind as relation_kind', 'relation.created_unix as related_unix'])
        .where(`relation.${own}`, '=', issueId)
        .orderBy('relation.created_unix')
        .orderBy('issue.id')
        .limit(maxRelations)
        .execute()
      return rows.map(({ relation_kind: kind, related_unix: unix, ...issue }) => ({
        ...{ word: wordOf(kind, own === 'issue_id'), unix },
        issue,
      }))
    }),
  )
  return sides.flat().sort((one, other) => one.unix - other.unix || one.issue.id - other.issue.id)
}

/** Returns the number of relations of an issue. */
export const countRelations = (tx: Tx, issueId: IssueId): Promise<number> =>
  countRows(
    tx
      .selectFrom('issue_relation')
      .where((where) => where.or([where('issue_id', '=', issueId), where('other_id', '=', issueId)])),
  )

/** Returns the ids above an issue, up to one more than `maxDepth`. */
export async function listAncestorIds(tx: Tx, issueId: IssueId): Promise<IssueId[]> {
  const { rows } = await sql<{ id: IssueId }>`with recursive above(id, depth) as (
      select other_id, 1 from issue_relation where kind = 'parent' and issue_id = ${issueId}
      union all select issue_relation.other_id, above.depth + 1 from above
        join issue_relation on issue_relation.kind = 'parent' and issue_relation.issue_id = above.id
        where above.depth <= ${sql.lit(maxDepth)})
    select id from above`.execute(tx)
  return rows.map((row) => row.id)
}

/** Returns the parent of an issue. */
export const findParentId = async (tx: Tx, issueId: IssueId): Promise<IssueId | undefined> =>
  (
    await tx
      .selectFrom('issue_relation')
      .select('other_id')
      .where('kind', '=', sql.lit('parent'))
      .where('issue_id', '=', issueId)
      .executeTakeFirst()
  )?.other_id

/** @returns false when the relation exists */
export const insertRelation = (
  tx: Tx,
  values: { issue_id: IssueId; other_id: IssueId; kind: RelationKind; created_unix: Unix },
): Promise<boolean> =>
  changesRow(
    tx
      .insertInto('issue_relation')
      .values(values)
      .onConflict((conflict) => conflict.doNothing()),
  )

/** @returns false when the relation does not exist */
export const deleteRelation = (
  tx: Tx,
  { first, other, kind }: { first: IssueId; other: IssueId; kind: RelationKind },
): Promise<boolean> =>
  changesRow(
    tx
      .deleteFrom('issue_relation')
      .where('kind', '=', kind)
      .where('issue_id', '=', first)
      .where('other_id', '=', other),
  )
