import { engineOf, type DatabaseEngine } from '../db/database.ts'
import type { Forge } from './forge.ts'

/** What is needed of kysely's executor to see every query. */
interface Executor {
  executeQuery(...args: readonly unknown[]): unknown
}

/** Queries of the workers, who look at their queue whenever they like. */
const ofWorkers = /"(?:job|schedule)"|\bfrom job\b/

/** Statements that were run so far, and what they say. */
export type QueryCount = { readonly count: number; readonly texts: readonly string[] } & Disposable

/**
 * Counts the statements that a forge runs outside of transactions until it is disposed. What is still being worked in
 * the background is waited for first, and the workers' looks at their queue do not count. Prepared queries that are asked
 * together count as one, as they are one statement on PostgreSQL.
 */
export async function countQueries(forge: Forge): Promise<QueryCount> {
  await forge.settle()
  const engine = engineOf(forge.services.db)
  const executor = engine.reader.getExecutor() as unknown as Executor
  // oxlint-disable-next-line typescript/unbound-method -- called with the executor, and put back as it was
  const own = executor.executeQuery
  const texts: string[] = []
  executor.executeQuery = function counted(this: Executor, ...args) {
    const { sql } = args[0] as { sql: string }
    if (!ofWorkers.test(sql)) texts.push(sql)
    return own.apply(this, [...args])
  }
  const stopCounting = countPrepared(engine, (sql) => texts.push(sql))
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
