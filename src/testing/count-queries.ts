import { asking } from '../audit/asking.ts'
import { engineOf, type DatabaseEngine } from '../db/database.ts'
import type { Forge } from './forge.ts'

/** What is needed of kysely's executor to see every query. */
interface Executor {
  executeQuery(...args: readonly unknown[]): unknown
}

/** Statements that were run so far, and what they say. */
export type QueryCount = { readonly count: number; readonly texts: readonly string[] } & Disposable

/** Statements of workers, which read their queue at any time. */
const ofQueue = /"(?:job|schedule)"|\bfrom job\b/

/**
 * Counts the statements that a forge runs outside of transactions, until it is disposed. It waits first for work in the
 * background. Prepared queries that are asked together count as one, because they are one statement on PostgreSQL.
 * @param of those of requests, or those of jobs and heartbeats as well
 */
export async function countQueries(forge: Forge, of: 'requests' | 'all' = 'requests'): Promise<QueryCount> {
  const counts = (sql: string): boolean => (of === 'all' ? !ofQueue.test(sql) : asking() !== undefined)
  await forge.settle()
  const engine = engineOf(forge.services.db)
  const executor = engine.reader.getExecutor() as unknown as Executor
  // oxlint-disable-next-line typescript/unbound-method -- called with the executor, and put back as it was
  const own = executor.executeQuery
  const texts: string[] = []
  executor.executeQuery = function counted(this: Executor, ...args) {
    const { sql } = args[0] as { sql: string }
    if (counts(sql)) texts.push(sql)
    return own.apply(this, [...args])
  }
  const stopCounting = countPrepared(engine, (sql) => {
    if (of === 'all' || counts(sql)) texts.push(sql)
  })
  return {
    get count() {
      return texts.length
    },
    texts,
    [Symbol.dispose]() {
      executor.executeQuery = own
      stopCounting()
    },
  }
}

/** Tells of the prepared statements, which are asked past the executor, until the function that it gives is called. */
function countPrepared(engine: DatabaseEngine, asked: (sql: string) => void): () => void {
  if (engine.kind === 'sqlite') {
    const own = engine.askPrepared
    engine.askPrepared = (group, parameters) => {
      asked(group.texts.join(';\n'))
      return own(group, parameters)
    }
    return () => (engine.askPrepared = own)
  }
  const own = engine.askPrepared
  engine.askPrepared = (name, statement) => {
    asked(statement.sql)
    return own(name, statement)
  }
  return () => (engine.askPrepared = own)
}
