import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf } from './database.ts'
import { databaseKind } from './open.ts'
import { allTables } from './schema.ts'
import { createIndexes, createTable, id, integer, nullable, ref, table, text, type Table } from './table.ts'

interface CatalogColumn {
  readonly table_name: string
  readonly name: string
  readonly type: string
  readonly is_nullable: 'YES' | 'NO'
}

/** Tables that statements in `db/schema/` create as text, and what the databases create for them. */
const isDeclaredElsewhere = (name: string): boolean =>
  name === 'migration' || /^(?:issue|comment)_words(?:_\w+)?$/u.test(name) || name.startsWith('sqlite_')

const ofSqlite = sql<CatalogColumn>`select master.name as table_name, info.name, info.type,
    iif(info."notnull" = 0 and info.pk = 0, 'YES', 'NO') as is_nullable
  from sqlite_master as master, pragma_table_xinfo(master.name) as info where master.type = 'table'
  order by master.name, info.cid`
const ofPostgres = sql<CatalogColumn>`select table_name, column_name as name, data_type as type, is_nullable
  from information_schema.columns where table_schema = current_schema() order by table_name, ordinal_position`

/** Returns the columns of a table as the catalog of a database describes them. */
const declaredColumns = ({ columns, options }: Table, kind: 'sqlite' | 'postgres'): string[] =>
  Object.entries(columns)
    .filter(([, declared]) => kind === 'postgres' || declared.sql.isOnPostgresOnly !== true)
    .map(
      ([
        name,
        {
          sql: { type, key, isNullable = false },
        },
      ]) => {
        const isKey = type === '{id}' || key === 'primary key' || (options.primaryKey ?? []).includes(name)
        const ofId = kind === 'sqlite' ? 'INTEGER' : 'bigint'
        return `${name} ${type === '{id}' ? ofId : type}${isNullable && !isKey ? ' null' : ''}`.toLowerCase()
      },
    )

test('the tables of a migrated database are the declared ones, with their columns in order', async () => {
  await using own = await openTestDatabase()
  const kind = databaseKind(own.db)
  const { rows } = await (kind === 'sqlite' ? ofSqlite : ofPostgres).execute(engineOf(own.db).writer)
  const found: Record<string, string[]> = {}
  for (const row of rows) {
    if (isDeclaredElsewhere(row.table_name)) continue
    const columns = (found[row.table_name] ??= [])
    columns.push(`${row.name} ${row.type}${row.is_nullable === 'YES' ? ' null' : ''}`.toLowerCase())
  }
  const declared = Object.entries<Table>(allTables).map(([name, one]) => [name, declaredColumns(one, kind)])
  assert.deepEqual(found, Object.fromEntries(declared))
})

test('createTable: names that are words of SQL are quoted, defaults are literals, and rules follow the columns', () => {
  const declared = table(
    { id: id<number>(), index: integer(0), name: text("it's"), user_id: nullable(ref<number>('user', 'set null')) },
    { unique: [['index', 'name']], check: 'id > 0', indexes: { thing_name: 'unique (name) where "index" > 0' } },
  )
  const statement = `create table thing (
  id {id},
  "index" integer not null default 0,
  name text not null default 'it''s',
  user_id bigint references "user"(id) on delete set null,
  unique ("index", name),
  check (id > 0)
)`
  assert.deepEqual(createTable('thing', declared), { sqlite: statement, postgres: statement })
  assert.deepEqual(createIndexes('thing', declared), [
    'create unique index thing_name on thing (name) where "index" > 0',
  ])
})
