import type { ExpressionAnswer, ExpressionJob } from '../../lib/bounded-regexp.ts'
import { createOwnThread } from '../../lib/own-thread.ts'
import { WorkBudget } from '../../lib/work-budget.ts'
import type { Services } from '../context.ts'
import { ownService } from '../own-service.ts'

export const expressionThread = ownService('the thread of expressions', {
  open: () =>
    createOwnThread<ExpressionJob, ExpressionAnswer>({
      name: 'expressions',
      file: 'expression-worker.js',
      timeoutMs: 10_000,
      maxQueue: 64,
      idleMs: 30_000,
      maxMemoryMb: 64,
    }),
  close: (opened) => opened.close(),
})

/**
 * Matches expressions of users in a worker thread. Each has 0.1 s, all together have 1 s.
 * @returns for each expression whether it matches each text; undefined: it is invalid or took too long
 * @throws Unavailable when too many requests wait
 */
export async function matchExpressions(
  services: Pick<Services, 'own'>,
  sources: readonly string[],
  texts: readonly string[],
  flags: ExpressionJob['flags'] = 'u',
): Promise<ExpressionAnswer> {
  if (sources.length === 0 || texts.length === 0) return sources.map(() => [])
  return expressionThread.of(services).ask({ sources, flags, texts }, { budget: new WorkBudget() })
}
