import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { idList } from '../db/id-list.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { RevisedTable } from '../db/tables/revisions.ts'

/** Returns the revision of a table's row whose id is in a column of the query; null when the row does not exist. */
export const revisionOfRow = (table: RevisedTable, id: string) =>
  sql<
    number | null
  >`(select revision from row_revision where table_name = ${sql.lit(table)} and row_id = ${sql.ref(id)})`

/** Returns the revision of a row that the query selects under the name of its table. */
export const revisionOf = (table: RevisedTable) => revisionOfRow(table, `${table}.id`).$notNull().as('revision')

/** Rows of each table that are shown together; ids in the form of `idListText`. */
export type ShownRows = Readonly<Record<RevisedTable, string>>

/** For each table, `id:revision` of its existing rows, separated by commas, in the order of the list. */
export type RevisionTexts = Readonly<Record<RevisedTable, string | null>>

/** Returns the revisions of rows as one text. Equal ids give equal texts, because the text is part of cache keys. */
const revisionText = (db: Db, table: RevisedTable, ids: string) =>
  sql<string | null>`(
    select string_agg(shown.value || ':' || (
      select revision from row_revision where table_name = ${sql.lit(table)} and row_id = shown.value), ',')
    from ${idList(db, ids)} as shown)`.as(table)

const revisionTexts = preparedQuery((db: Db, issues: string, users: string, labels: string, milestones: string) =>
  db.selectNoFrom([
    revisionText(db, 'issue', issues),
    revisionText(db, 'user', users),
    revisionText(db, 'label', labels),
    revisionText(db, 'milestone', milestones),
  ]),
)

/** Returns the revisions of accounts as a column `user` for another query. */
export const userRevisions = (db: Db, ids: string) => revisionText(db, 'user', ids)

const revisionsOfUsers = preparedQuery((db: Db, ids: string) => db.selectNoFrom(userRevisions(db, ids)))

export async function loadUserRevisions(db: Db, ids: string): Promise<string | null> {
  const [texts] = await revisionsOfUsers(db, ids)
  return texts?.user ?? null
}

/** Returns the revisions of rows that are shown together, from one snapshot of the database. */
export async function loadRevisions(db: Db, shown: ShownRows): Promise<RevisionTexts> {
  const [texts] = await revisionTexts(db, shown.issue, shown.user, shown.label, shown.milestone)
  return texts as RevisionTexts
}
