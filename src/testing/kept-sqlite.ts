import { rmSync } from 'node:fs'
import { sql, type KyselyPlugin, type QueryExecutorProvider } from 'kysely'
import { databaseOf, engineOf, type SqliteEngine } from '../db/database.ts'
import { openDatabase, type DatabaseOptions } from '../db/open.ts'
import type { TestDatabase } from './test-database.ts'

type Tx = Parameters<SqliteEngine['script']>[0]

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

/** Changes all rows at once. Throws when the schema was changed. */
const rewrite = (engine: SqliteEngine, { schemaVersion }: Contents, work: (tx: Tx) => Promise<void>): Promise<void> =>
  engine.writer.transaction().execute(async (tx) => {
    if ((await schemaVersionOf(tx)) !== schemaVersion) throw new Error('the schema was changed')
    await work(tx)
  })

async function deleteAll(engine: SqliteEngine, tx: Tx, { tables, ageAudit }: Contents): Promise<void> {
  await engine.script(tx, ageAudit)
  // Triggers may fill a table again. The question is always the same, so it is compiled once.
  for (let filled = await filledOf(tx, tables); filled.length > 0; filled = await filledOf(tx, tables)) {
    await engine.script(tx, filled.map((table) => `delete from "${table}";`).join('\n'))
  }
}

/** Makes a database as new. Throws when its schema was changed. */
const empty = (engine: SqliteEngine, contents: Contents): Promise<void> =>
  rewrite(engine, contents, async (tx) => {
    await deleteAll(engine, tx, contents)
    await engine.script(tx, contents.firstRows)
  })

/** A copy of a table, and the columns without those that the database derives. */
interface CopiedTable {
  readonly name: string
  readonly columns: string
}

/** Copies of the filled tables, by table. */
type CopiedRows = ReadonlyMap<string, CopiedTable>

/** Copies all rows into temporary tables of the engine's writing connection. */
async function copyRows(engine: SqliteEngine, { tables }: Contents, prefix: string): Promise<CopiedRows> {
  const filled = [...(await filledOf(engine.writer, tables)), 'sqlite_sequence']
  const columnsOf = await rowsOf<{ name: string; columns: string }>(
    engine.writer,
    filled
      .map(
        (table) =>
          `select '${table}' as name, group_concat('"' || name || '"') as columns from pragma_table_info('${table}')`,
      )
      .join(' union all '),
  )
  const copies = new Map(columnsOf.map(({ name, columns }) => [name, { name: `temp."${prefix}_${name}"`, columns }]))
  await engine.writer.transaction().execute(async (tx) => {
    const texts = [...copies].map(
      ([table, { name, columns }]) => `create table ${name} as select ${columns} from main."${table}";`,
    )
    await engine.script(tx, texts.join('\n'))
  })
  return copies
}

/** More than the longest chain of triggers. */
const mostPasses = 10

/** Brings copied rows back. */
const restoreRows = (engine: SqliteEngine, contents: Contents, copies: CopiedRows): Promise<void> =>
  rewrite(engine, contents, async (tx) => {
    await deleteAll(engine, tx, contents)
    const insert = (table: string): string => {
      const copy = copies.get(table)
      if (copy === undefined) return ''
      return `insert or replace into main."${table}" (${copy.columns}) select * from ${copy.name};`
    }
    const own = [...copies.keys()].filter((table) => table !== 'sqlite_sequence')
    await engine.script(tx, own.map(insert).join('\n'))
    const others = contents.tables.filter((table) => !copies.has(table))
    for (let pass = 0; ; pass += 1) {
      // Triggers changed rows of other tables, whose own triggers changed others.
      const differing = [...(await differingOf(tx, own, copies)), ...(await filledOf(tx, others))]
      if (differing.length === 0) break
      if (pass === mostPasses) throw new Error(`triggers change these tables again and again: ${differing.join(', ')}`)
      await engine.script(tx, differing.map((table) => `delete from main."${table}"; ${insert(table)}`).join('\n'))
    }
    await engine.script(tx, `delete from sqlite_sequence; ${insert('sqlite_sequence')}`)
  })

/** The tables whose rows are not those of their copies. */
const differingOf = (
  on: QueryExecutorProvider,
  tables: readonly string[],
  copies: CopiedRows,
): Promise<readonly string[]> =>
  namesOf(
    on,
    tables
      .map((table) => {
        const { name, columns } = copies.get(table) as CopiedTable
        const [found, copied] = [`select ${columns} from main."${table}"`, `select * from ${name}`]
        return `select '${table}' as name where exists (${found} except ${copied}) or exists (${copied} except ${found})`
      })
      .join(' union all '),
  )

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
  /**
   * Another engine for the same file, which does not look at references between rows. On the connection of the tests, a change of
   * that setting would make SQLite compile all its statements again.
   */
  readonly cleaner: SqliteEngine
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
): Promise<TestDatabase> {
  const kept = free.pop() ?? (await openKept(make))
  const first = await (contents ??= readContents(kept.engine.writer))
  let gate = new Gate()
  let keptRows = 0
  const dispose = async (): Promise<void> => {
    gate.isOpen = false
    const isNew =
      free.length < mostFree &&
      keptRows === 0 &&
      (await empty(kept.cleaner, first).then(
        () => true,
        () => false,
      ))
    if (isNew) {
      free.push(kept)
      return
    }
    await kept.engine.close()
    await kept.cleaner.close()
    rmSync(kept.folder, { recursive: true, force: true })
    folders.delete(kept.folder)
  }
  const lend = (): TestDatabase => {
    gate.isOpen = false
    gate = new Gate()
    return {
      db: databaseOf(engineBehind(kept.engine, gate)),
      options: kept.options,
      async keep() {
        keptRows += 1
        const rows = await copyRows(kept.cleaner, first, `kept_${keptRows}`)
        return {
          async restore() {
            await restoreRows(kept.cleaner, first, rows)
            return lend()
          },
          // They end with the database.
          async [Symbol.asyncDispose]() {},
        }
      },
      [Symbol.asyncDispose]: dispose,
    }
  }
  return lend()
}

const removeFolders = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

async function openKept(make: Parameters<typeof takeSqlite>[0]): Promise<Kept> {
  const made = await make()
  const open = (): SqliteEngine => {
    const engine = engineOf(openDatabase(made.options))
    if (engine.kind !== 'sqlite') throw new Error('only SQLite is kept')
    return engine
  }
  const engine = open()
  const cleaner = open()
  await rowsOf(cleaner.writer, 'pragma foreign_keys = off')
  if (folders.size === 0) process.once('exit', removeFolders)
  folders.add(made.folder)
  return { ...made, engine, cleaner }
}
