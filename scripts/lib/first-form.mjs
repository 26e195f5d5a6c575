/**
 * What all migrations together make of an empty SQLite database. Each `alter table` has SQLite read the whole form of the
 * database anew, so an instance that begins takes it as it came out (`src/db/migrate.ts`).
 */
import { fromRoot } from './project.mjs'

/** The migrations of the sources and what gives their statements, bundled by an `esbuild`. */
async function loadMigrations(esbuild) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: fromRoot(),
    stdin: {
      contents: `export { migrations } from './index.ts'\nexport { textOf } from './migration.ts'`,
      resolveDir: fromRoot('src/db/migrations'),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

/** The statements as one text: tables, views, rows, indexes, triggers, each in the order in which they were made. */
export async function firstForm(esbuild) {
  const { default: Database } = await import('better-sqlite3')
  const { migrations, textOf } = await loadMigrations(esbuild)
  const database = new Database(':memory:')
  try {
    for (const migration of migrations) database.exec(textOf(migration, 'sqlite'))
    const kinds = new Map(
      database
        .pragma('table_list')
        .filter(({ schema }) => schema === 'main')
        .map(({ name, type }) => [name, type]),
    )
    // Shadows are made with the virtual table whose they are; what SQLite names itself, with the table that wants it.
    const made = database
      .prepare(`select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'
        order by rowid`)
      .all()
      .filter(({ name }) => kinds.get(name) !== 'shadow')
    const textsOf = (wanted) => made.filter(({ type }) => type === wanted).map(({ sql }) => sql)
    const rows = made.flatMap(({ type, name }) => (type === 'table' ? rowsOf(database, name) : []))
    // Up to where ids were counted, which rows that went away have a part in.
    rows.push('delete from sqlite_sequence', ...rowsOf(database, 'sqlite_sequence'))
    const statements = [...textsOf('table'), ...textsOf('view'), ...rows, ...textsOf('index'), ...textsOf('trigger')]
    return statements.map((statement) => `${statement};\n`).join('')
  } finally {
    database.close()
  }
}

/** The rows of a table as statements that write them. */
function rowsOf(database, table) {
  const columns = database
    .pragma(`table_xinfo("${table}")`)
    .filter(({ hidden }) => hidden === 0)
    .map(({ name }) => `"${name}"`)
  return database
    .prepare(`select ${columns.map((column) => `quote(${column})`).join(` || ', ' || `)} as "values" from "${table}"`)
    .all()
    .map(({ values }) => `insert into "${table}" (${columns.join(', ')}) values (${values})`)
}
