import { engineOf, type Db } from '../db/database.ts'

/** What is needed of kysely's executor to see every query. */
interface Executor {
  executeQuery(...args: readonly unknown[]): unknown
}

/** Queries of the workers, who look at their queue whenever they like. */
const ofWorkers = /"(?:job|schedule)"/

/** Counts the statements that a database runs outside of transactions, those of workers aside, until it is disposed. */
export function countQueries(db: Db): { readonly count: number; readonly texts: readonly string[] } & Disposable {
  const executor = engineOf(db).reader.getExecutor() as unknown as Executor
  // oxlint-disable-next-line typescript/unbound-method -- called with the executor, and put back as it was
  const own = executor.executeQuery
  const texts: string[] = []
  executor.executeQuery = function counted(this: Executor, ...args) {
    const { sql } = args[0] as { sql: string }
    if (!ofWorkers.test(sql)) texts.push(sql)
    return own.apply(this, [...args])
  }
  return {
    get count() {
      return texts.length
    },
    texts,
    [Symbol.dispose]() {
      executor.executeQuery = own
    },
  }
}
