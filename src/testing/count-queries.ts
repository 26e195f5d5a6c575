import { engineOf } from '../db/database.ts'
import { forgetAnswers } from '../db/prepared.ts'
import type { Forge } from './forge.ts'

/** What is needed of kysely's executor to see every query. */
interface Executor {
  executeQuery(...args: readonly unknown[]): unknown
}

/** Queries of the workers, who look at their queue whenever they like. */
const ofWorkers = /"(?:job|schedule)"/

/** Statements that were run so far, and what they say. */
export type QueryCount = { readonly count: number; readonly texts: readonly string[] } & Disposable

/**
 * Counts the statements that a forge runs outside of transactions until it is disposed. What is still being worked in
 * the background is waited for first, the workers' looks at their queue do not count, and nothing is remembered.
 */
export async function countQueries(forge: Forge): Promise<QueryCount> {
  await forge.settle()
  forgetAnswers(forge.services.db)
  const executor = engineOf(forge.services.db).reader.getExecutor() as unknown as Executor
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
