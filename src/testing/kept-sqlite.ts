import { rmSync } from 'node:fs'
import { sql, type KyselyPlugin, type QueryExecutorProvider } from 'kysely'
import { databaseOf, engineOf, type Db, type SqliteEngine } from '../db/database.ts'
import { openDatabase, type DatabaseOptions } from '../db/open.ts'

/** What a migrated database holds, by which a used one is made new again. */
interface Contents {
  readonly schemaVersion: number
  /** All tables, except those that the full-text index keeps for itself. */
  readonly tables: readonly string[]
  /** Makes the entries of the audit log old: those of the last day cannot be deleted. A replaced row runs no trigger. */
  readonly ageAudit: string
  /** Statements that bring back the first rows when all tables are empty. */
  readonly firstRows: string
}

const rowsOf = async <Row>(on: QueryExecutorProvider, text: string): Promise<readonly Row[]> =>
  (await sql.raw<Row>(text).execute(on)).rows

const namesOf = async (on: QueryExecutorProvider, text: string): Promise<readonly string[]> =>
  (await rowsOf<{ name: string }>(on, text)).map(({ name }) => name)

const schemaVersionOf = async (on: QueryExecutorProvider): Promise<number> =>
  (await rowsOf<{ schema_version: number }>(on, 'pragma schema_version'))[0]?.schema_version ?? 0

const filledOf = (on: QueryExecutorProvider, tables: readonly string[]): Promise<readonly string[]> =>
  namesOf(
    on,
    tables.map((table) => `select '${table}' as name where exists (select 1 from "${table}")`).join(' union all '),
  )

async function insertsOf(on: QueryExecutorProvider, table: string): Promise<readonly string[]> {
  const columns = await namesOf(on, `select name from pragma_table_info('${table}')`)
  const values = columns.map((name) => `quote("${name}")`).join(` || ',' || `)
  const rows = await namesOf(on, `select ${values} as name from "${table}"`)
  // A trigger may have inserted the row when another one was.
  return rows.map((row) => `insert or replace into "${table}" values (${row});`)
}

async function ageAuditOf(on: QueryExecutorProvider): Promise<string> {
  const columns = await namesOf(on, `select name from pragma_table_info('audit_entry')`)
  const values = columns.map((name) => (name === 'at_ms' ? '-9e999' : name))
  return `insert or replace into audit_entry (${columns.join(', ')}) select ${values.join(', ')} from audit_entry;`
}

async function readContents(on: QueryExecutorProvider): Promise<Contents> {
  const tables = await namesOf(
    on,
    `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'`,
  )
  const inserts = await Promise.all((await filledOf(on, tables)).map((table) => insertsOf(on, table)))
  return {
    schemaVersion: await schemaVersionOf(on),
    tables,
    ageAudit: await ageAuditOf(on),
    // Ids begin again where they began.
    firstRows: [...inserts.flat(), 'delete from sqlite_sequence;', ...(await insertsOf(on, 'sqlite_sequence'))].join(
      '\n',
    ),
  }
}

/** Makes a database as new. Throws when its schema was changed. */
async function empty(engine: SqliteEngine, { schemaVersion, tables, ageAudit, firstRows }: Contents): Promise<void> {
  await rowsOf(engine.writer, 'pragma foreign_keys = off')
  await engine.writer.transaction().execute(async (tx) => {
    if ((await schemaVersionOf(tx)) !== schemaVersion) throw new Error('the schema was changed')
    await engine.script(tx, ageAudit)
    // Triggers may fill a table again. The question is always the same, so it is compiled once.
    for (let filled = await filledOf(tx, tables); filled.length > 0; filled = await filledOf(tx, tables)) {
      await engine.script(tx, filled.map((table) => `delete from "${table}";`).join('\n'))
    }
    await engine.script(tx, firstRows)
  })
  await rowsOf(engine.writer, 'pragma foreign_keys = on')
}

/** Refuses statements of a test that has ended, which would change the database of the next one. */
class Gate implements KyselyPlugin {
  isOpen = true

  check(): void {
    if (!this.isOpen) throw new Error('the database was closed')
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => {
    this.check()
    return node
  }

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result
}

/** An engine with the connections of another one, until the gate closes. What the program attaches to it ends with it. */
const engineBehind = (engine: SqliteEngine, gate: Gate): SqliteEngine => ({
  ...engine,
  reader: engine.reader.withPlugin(gate),
  writer: engine.writer.withPlugin(gate),
  async script(tx, text) {
    gate.check()
    return engine.script(tx, text)
  },
  async askPrepared(group, parameters) {
    gate.check()
    return engine.askPrepared(group, parameters)
  },
})

/** An open database. */
interface Kept {
  readonly engine: SqliteEngine
  readonly folder: string
  readonly options: DatabaseOptions
}

/** Most databases that wait for their next test. */
const mostFree = 4

const free: Kept[] = []
const folders = new Set<string>()
let contents: Promise<Contents> | undefined

/**
 * Opens a migrated database for one test, which may have served earlier tests: opening a new one, reading its schema and
 * compiling its statements takes several times as long as deleting the rows of a test.
 * @param make makes the file of a migrated database
 */
export async function takeSqlite(
  make: () => Promise<{ readonly folder: string; readonly options: DatabaseOptions }>,
): Promise<{ readonly db: Db; readonly options: DatabaseOptions } & AsyncDisposable> {
  const kept = free.pop() ?? (await openKept(make))
  const first = await (contents ??= readContents(kept.engine.writer))
  const gate = new Gate()
  return {
    db: databaseOf(engineBehind(kept.engine, gate)),
    options: kept.options,
    async [Symbol.asyncDispose]() {
      gate.isOpen = false
      const isNew =
        free.length < mostFree &&
        (await empty(kept.engine, first).then(
          () => true,
          () => false,
        ))
      if (isNew) {
        free.push(kept)
        return
      }
      await kept.engine.close()
      rmSync(kept.folder, { recursive: true, force: true })
      folders.delete(kept.folder)
    },
  }
}

const removeFolders = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

async function openKept(make: Parameters<typeof takeSqlite>[0]): Promise<Kept> {
  const made = await make()
  const engine = engineOf(openDatabase(made.options))
  if (engine.kind !== 'sqlite') throw new Error('only SQLite is kept')
  if (folders.size === 0) process.once('exit', removeFolders)
  folders.add(made.folder)
  return { ...made, engine }
}
