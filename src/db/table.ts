import type { Generated, GeneratedAlways, SelectType } from 'kysely'
import type { Unix } from '../lib/time.ts'

/*
 * The language of `db/tables/`: one declaration of a table gives its row types (`TablesOf`) and its statements for both
 * databases (`createTable`, `createIndexes`).
 */

/** One SQL text for both databases, or one text for each database. An empty text is skipped. */
export type Statement = string | { readonly sqlite: string; readonly postgres: string }

type DatabaseKind = 'sqlite' | 'postgres'

interface ColumnSql {
  readonly type: 'bigint' | 'integer' | 'text' | 'boolean' | 'bytea' | '{id}'
  readonly isNullable?: boolean
  /** `unique` or `primary key`. */
  readonly key?: string
  /** What follows the key: the default value, the referenced table, or the expression. */
  readonly rest?: string
  readonly isOnPostgresOnly?: boolean
}

/** A column. `type` exists for the compiler only: the column's type in Kysely. */
export interface Column<Type> {
  readonly sql: ColumnSql
  readonly type: Type
}

type Columns = Readonly<Record<string, Column<unknown>>>

const column = <Type>(sql: ColumnSql): Column<Type> => ({ sql }) as Column<Type>

type Literal = string | number | boolean

/** Makes a column of one SQL type. With a default value, an insert may omit it. */
interface ColumnOf<Base extends Literal> {
  <Type extends Base = Base>(): Column<Type>
  <Type extends Base = Base>(byDefault: NoInfer<Type>): Column<Generated<Type>>
}

const literal = (value: Literal): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

function columnOf<Base extends Literal>(type: ColumnSql['type']): ColumnOf<Base> {
  const plain = column<never>({ type })
  return (byDefault?: Literal) =>
    byDefault === undefined ? plain : column<never>({ type, rest: `default ${literal(byDefault)}` })
}

/** The primary key whose values the database assigns and never reuses. */
export const id = <Id extends number>(): Column<Generated<Id>> => column({ type: '{id}' })
export const text = columnOf<string>('text')
/** 32 bits on PostgreSQL. */
export const integer = columnOf<number>('integer')
export const bigint = columnOf<number>('bigint')
export const flag = columnOf<boolean>('boolean')
export const unix = columnOf<Unix>('bigint')
export const bytes = (): Column<Buffer> => column({ type: 'bytea' })

/** An id of another table's row; `onDelete` is what happens to this row when that row is deleted. */
export const ref = <Id extends number>(table: string, onDelete?: 'cascade' | 'set null'): Column<Id> =>
  column({
    type: 'bigint',
    rest: `references ${quote(table)}(id)${onDelete === undefined ? '' : ` on delete ${onDelete}`}`,
  })

export const nullable = <Type>({ sql }: Column<Type>): Column<Type | null> => column({ ...sql, isNullable: true })
export const unique = <Type>({ sql }: Column<Type>): Column<Type> => column({ ...sql, key: 'unique' })
export const primaryKey = <Type>({ sql }: Column<Type>): Column<Type> => column({ ...sql, key: 'primary key' })

/** A column with a default value that inserts give nevertheless. */
export const given = <Type>({ sql }: Column<Type>): Column<SelectType<Type>> => column(sql)

/** A column that only triggers write. */
export const byTrigger = <Type>({ sql }: Column<Type>): Column<GeneratedAlways<SelectType<Type>>> => column(sql)

/** As `byTrigger`, set after the insert, so the column is null for that moment. Readers never see null. */
export const afterInsert = <Type>(declared: Column<Type>): Column<GeneratedAlways<SelectType<Type>>> =>
  byTrigger(column<Type>({ ...declared.sql, isNullable: true }))

/** A stored column that the database computes from the other columns of the row. */
export const computed = <Type>({ sql }: Column<Type>, expression: string): Column<GeneratedAlways<Type>> =>
  column({ ...sql, isNullable: true, rest: `generated always as (${expression}) stored` })

/** A column outside the row types, for statements that name it as text. SQLite does not have it with `postgres`. */
export const hidden = ({ sql }: Column<unknown>, only?: 'postgres'): Column<never> =>
  column({ ...sql, isOnPostgresOnly: only === 'postgres' })

interface TableOptions<Name extends string> {
  readonly primaryKey?: readonly Name[]
  readonly unique?: readonly (readonly Name[])[]
  readonly check?: string
  /** SQLite stores the rows in the primary key's index. */
  readonly isWithoutRowid?: boolean
  /** Indexes by name, oldest first: `(columns) where …`, or `unique (columns) where …`. */
  readonly indexes?: Readonly<Record<string, Statement>>
}

export interface Table<Declared extends Columns = Columns> {
  readonly columns: Declared
  readonly options: TableOptions<string>
}

export const table = <Declared extends Columns>(
  columns: Declared,
  options: TableOptions<NoInfer<keyof Declared & string>> = {},
): Table<Declared> => ({ columns, options })

/** The tables of an area by their names in the database. */
export type Tables = Readonly<Record<string, Table>>

/** The types of tables for Kysely. */
export type TablesOf<Declared extends Tables> = {
  [Name in keyof Declared]: { [Key in keyof Declared[Name]['columns']]: Declared[Name]['columns'][Key]['type'] }
}

/** Names of tables and columns that are words of SQL. */
const reserved = new Set(['index', 'release', 'user'])
const quote = (name: string): string => (reserved.has(name) ? `"${name}"` : name)

function columnText(name: string, { type, isNullable = false, key, rest }: ColumnSql): string {
  const mayBeNull = isNullable || type === '{id}' || key === 'primary key'
  return [quote(name), type, mayBeNull ? undefined : 'not null', key, rest]
    .filter((part) => part !== undefined)
    .join(' ')
}

const listOf = (names: readonly string[]): string => `(${names.map((name) => quote(name)).join(', ')})`

/** Returns the statement that creates a table. */
export function createTable(name: string, { columns, options }: Table): Statement {
  const { primaryKey: key, unique: keys = [], check, isWithoutRowid = false } = options
  const rules = [
    ...(key === undefined ? [] : [`primary key ${listOf(key)}`]),
    ...keys.map((names) => `unique ${listOf(names)}`),
    ...(check === undefined ? [] : [`check (${check})`]),
  ]
  const make = (kind: DatabaseKind): string => {
    const lines = Object.entries(columns)
      .filter(([, { sql }]) => kind === 'postgres' || sql.isOnPostgresOnly !== true)
      .map(([column, { sql }]) => columnText(column, sql))
    const tail = isWithoutRowid && kind === 'sqlite' ? ' without rowid' : ''
    return `create table ${quote(name)} (\n  ${[...lines, ...rules].join(',\n  ')}\n)${tail}`
  }
  return { sqlite: make('sqlite'), postgres: make('postgres') }
}

/** Returns the statements that create the indexes of a table. */
export const createIndexes = (name: string, { options: { indexes = {} } }: Table): Statement[] =>
  Object.entries(indexes).map(([index, declared]) => {
    const make = (text: string): string => {
      if (text === '') return ''
      const isUnique = text.startsWith('unique ')
      return `create ${isUnique ? 'unique ' : ''}index ${index} on ${quote(name)} ${isUnique ? text.slice(7) : text}`
    }
    return typeof declared === 'string'
      ? make(declared)
      : { sqlite: make(declared.sqlite), postgres: make(declared.postgres) }
  })
