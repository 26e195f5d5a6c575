import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { idList } from '../db/id-list.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { RevisedTable } from '../db/tables/revisions.ts'

/** The revision of the row of a table whose id stands in a column of the query; nothing where there is none. */
export const revisionOfRow = (table: RevisedTable, id: string) =>
  sql<
    number | null
  >`(select revision from row_revision where table_name = ${sql.lit(table)} and row_id = ${sql.ref(id)})`

/** The revision of a row that a query has under the name of its table. */
export const revisionOf = (table: RevisedTable) => revisionOfRow(table, `${table}.id`).$notNull().as('revision')

/** Rows of each table that are shown together; ids in the form of `idListText`. */
export type ShownRows = Readonly<Record<RevisedTable, string>>

/** For each table `id:revision` of its rows in the order of the list, with commas between; rows that are gone are left out. */
export type RevisionTexts = Readonly<Record<RevisedTable, string | null>>

/** The order does not matter for what it says, but the same question should have the same answer. */
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

/** The revisions of accounts in the same form, as a column `user` of a query that is about something else. */
export const userRevisions = (db: Db, ids: string) => revisionText(db, 'user', ids)

const revisionsOfUsers = preparedQuery((db: Db, ids: string) => db.selectNoFrom(userRevisions(db, ids)))

export async function loadUserRevisions(db: Db, ids: string): Promise<string | null> {
  const [texts] = await revisionsOfUsers(db, ids)
  return texts?.user ?? null
}

/** At which revisions rows are now that are shown together, all at one state of the database. */
export async function loadRevisions(db: Db, shown: ShownRows): Promise<RevisionTexts> {
  const [texts] = await revisionTexts(db, shown.issue, shown.user, shown.label, shown.milestone)
  return texts as RevisionTexts
}
