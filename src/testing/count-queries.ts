import { requestOrigin } from '../audit/request-origin.ts'
import type { Forge } from './forge.ts'
import { watchStatements } from './watch-statements.ts'

/** The number of statements that ran so far, and their texts. */
export type QueryCount = { readonly count: number; readonly texts: readonly string[] } & Disposable

/** Statements of workers, which read their queue at any time. */
const ofQueue = /"(?:job|schedule)"|\bfrom job\b/

/**
 * Counts the statements that a forge runs outside of transactions until it is disposed. It first waits for background work.
 * Prepared queries that run together count as one, because they are one statement on PostgreSQL.
 * @param of the statements of requests only, or those of jobs and heartbeats as well
 */
export async function countQueries(forge: Forge, of: 'requests' | 'all' = 'requests'): Promise<QueryCount> {
  await forge.settle()
  const texts: string[] = []
  const stop = watchStatements(forge, (run) => {
    const text = run.map(({ sql }) => sql).join(';\n')
    if (of === 'all' ? !ofQueue.test(text) : requestOrigin() !== undefined) texts.push(text)
  })
  return {
    get count() {
      return texts.length
    },
    texts,
    [Symbol.dispose]: stop,
  }
}
