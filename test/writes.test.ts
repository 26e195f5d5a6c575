import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { fillStatements, smallSize } from '../scripts/lib/scale-fill.mjs'
import { engineOf, transaction, type Tx } from '../src/db/database.ts'
import { openTestDatabase } from '../src/testing/database.ts'

const run = async <Row>(tx: Tx, text: string): Promise<readonly Row[]> => (await sql.raw<Row>(text).execute(tx)).rows

/** Changes that cause work in the database beyond writing and removing the row. */
const changes: Readonly<Record<string, readonly string[]>> = {
  user: [`visibility = 'limited'`, `lower_name = lower_name || '-2'`],
  repo: ['is_private = not is_private', 'owner_id = 3', `lower_name = lower_name || '-2'`],
  team: ['access_mode = 1', 'unit_modes = 8'],
  team_user: ['user_id = 3'],
  collaboration: ['access_mode = 1', 'user_id = 3'],
  issue: ['is_closed = not is_closed', 'milestone_id = null', `title = title || '2'`, 'due_unix = due_unix + 1'],
  comment: [`content = content || '2'`, `type = 'close'`, 'issue_id = 1'],
  milestone: ['due_unix = due_unix + 1'],
  issue_label: ['issue_id = 1, label_id = 60'],
  review: [`type = 'approve'`],
  notification: [`status = 'pinned'`],
}

/** With this number of pages PostgreSQL prefers a suitable index. */
const manyPages = 12

/** The number of full scans of each table in a transaction. */
async function scansOf(tx: Tx): Promise<Map<string, number>> {
  const found = await run<{ name: string; scans: number }>(
    tx,
    'select relname as name, seq_scan as scans from pg_stat_xact_user_tables where seq_scan > 0',
  )
  return new Map(found.map(({ name, scans }) => [name, scans]))
}

/** The tables that a write scans. */
async function scansBy(tx: Tx, write: string): Promise<string[]> {
  const before = await scansOf(tx)
  await run(tx, 'savepoint before_it')
  try {
    await run(tx, write)
    await run(tx, 'set constraints all immediate')
  } catch (error) {
    // A row with references is refused after the lookup of the references.
    if ((error as { code?: unknown }).code !== '23503') throw error
  }
  await run(tx, 'rollback to savepoint before_it')
  return [...(await scansOf(tx))].flatMap(([name, scans]) => (scans > (before.get(name) ?? 0) ? [name] : []))
}

test('no trigger or reference of PostgreSQL scans a table for a write of one row', async (context) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (engineOf(db).kind !== 'postgres') return context.skip('SQLite does not tell what its triggers read')
  await transaction(db, async (tx) => {
    await run(
      tx,
      `insert into "user" (id, kind, name, lower_name, created_unix, updated_unix) values (1, 'individual', 'root', 'root', 1, 1)`,
    )
    for (const statement of fillStatements(smallSize, 'postgres')) await run(tx, statement)
  })
  const found = new Set<string>()
  let looked = 0
  await transaction(db, async (tx) => {
    await run(tx, 'analyze')
    await run(tx, 'set local plan_cache_mode = force_generic_plan')
    const tables = await run<{ name: string; same: string }>(
      tx,
      `select c.relname as name, string_agg(format('%1$I = %1$I', a.attname), ', ') as same
        from pg_class as c join pg_attribute as a on a.attrelid = c.oid
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
          and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
        group by c.relname order by c.relname`,
    )
    const small = await run<{ name: string }>(tx, `select relname as name from pg_class where relpages < ${manyPages}`)
    const isSmall = new Set(small.map(({ name }) => name))
    // PostgreSQL reads small tables whole unless that is off; then only a missing index causes a scan. It also scans larger
    // tables where it would read an index from end to end, and where a repository owns a good part of the table.
    for (const mode of ['off', 'on']) {
      await run(tx, `set local enable_seqscan = ${mode}`)
      await run(tx, 'discard plans')
      for (const { name, same } of tables) {
        const [last] = await run<{ place: string }>(tx, `select max(ctid)::text as place from "${name}"`)
        if (!last?.place) continue
        const updates = [same, ...(changes[name] ?? [])].map((set) => `update "${name}" set ${set}`)
        for (const write of [...updates, `delete from "${name}"`]) {
          looked += 1
          for (const table of await scansBy(tx, `${write} where ctid = '${last.place}'`)) {
            const isWhole = mode === 'off' || (!isSmall.has(table) && write !== 'delete from "repo"')
            if (isWhole) found.add(`${write.slice(0, 60)}: ${table}`)
          }
        }
      }
    }
  })
  assert.deepEqual([...found], [])
  assert.ok(looked > 200, `${looked} writes`)
})

test('PostgreSQL finds the references to a deleted row by an index', async (context) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (engineOf(db).kind !== 'postgres') return context.skip('SQLite has the same tables and indexes')
  const references = await transaction(db, (tx) =>
    run<{ reference: string; isFound: boolean }>(
      tx,
      `select c.conrelid::regclass || ': ' || pg_get_constraintdef(c.oid) as reference,
          exists (
            select 1 from pg_index as i
            where i.indrelid = c.conrelid and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
              -- What refers to nothing may be left out.
              and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')
          ) as "isFound"
        from pg_constraint as c where c.contype = 'f' order by 1`,
    ),
  )
  assert.deepEqual(
    references.filter(({ isFound }) => !isFound),
    [],
  )
  assert.ok(references.length > 150, `${references.length} references`)
})
