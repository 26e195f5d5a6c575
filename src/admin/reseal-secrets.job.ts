import { Type } from 'typebox'
import type { Services } from '../access/context.ts'
import { contributionsOf, type SealedColumn } from '../access/feature.ts'
import { transaction } from '../db/database.ts'
import { GiveUp, job, type JobRun } from '../jobs/job.ts'
import { enqueue } from '../jobs/queue.ts'
import { SealError, type Secrets } from '../secrets/secrets.ts'
import {
  countSealedValues,
  listSealedValues,
  updateSealedValues,
  type ResealedValue,
  type SealedValue,
} from './sealed-value.store.ts'

/** Values per transaction; other writers wait for it on SQLite. */
const stepSize = 200

/** Largest number of unreadable values that the message names. */
const maxNamed = 20

/**
 * Encrypts every stored secret with the current key, after `[security].SECRET_KEY` changed and the earlier key moved to
 * `[ingot].OLD_SECRET_KEYS`. After its success the earlier key is not needed. The job can be interrupted and repeated;
 * it skips values with the current key.
 */
export const resealSecrets = job({
  name: 'resealSecrets',
  pool: 'tasks',
  input: Type.Object({}),
  priority: 'low',
  timeoutMs: 6 * 3_600_000,
  merge: () => '',
  lane: () => 'resealSecrets',
  async run(services: Services, _input, run) {
    const columns = contributionsOf(services).sealed
    const counts = await Promise.all(columns.map((column) => countSealedValues(services.db, column)))
    const progress = { done: 0, total: counts.reduce((total, count) => total + count, 0) }
    const unreadable: string[] = []
    let resealed = 0
    for (const column of columns) {
      const note = `${column.table}.${column.column}`
      for await (const step of stepsOf(services, column, run)) {
        const outcome = resealStep(services.secrets, column, step)
        if (outcome.values.length > 0) {
          await transaction(services.db, (tx) => updateSealedValues(tx, column, outcome.values))
        }
        resealed += outcome.values.length
        unreadable.push(...outcome.unreadable.map((id) => `${note} ${id}`))
        progress.done += step.length
        run.progress({ ...progress, total: Math.max(progress.total, progress.done), note })
      }
    }
    services.log('info', 'all stored secrets use the current key', { looked_at: progress.done, resealed })
    if (unreadable.length > 0) {
      const more = unreadable.length > maxNamed ? ' and others' : ''
      throw new GiveUp(
        `${unreadable.length} stored secrets cannot be opened with any known key: ` +
          `${unreadable.slice(0, maxNamed).join(', ')}${more}`,
      )
    }
  },
})

async function* stepsOf(services: Services, column: SealedColumn, run: JobRun): AsyncGenerator<SealedValue[]> {
  let afterId = 0
  for (;;) {
    run.signal.throwIfAborted()
    const step = await listSealedValues(services.db, column, afterId, stepSize)
    if (step.length === 0) return
    yield step
    afterId = step.at(-1)?.id ?? afterId
  }
}

function resealStep(
  secrets: Secrets,
  { purpose }: SealedColumn,
  step: readonly SealedValue[],
): { readonly values: ResealedValue[]; readonly unreadable: number[] } {
  const values: ResealedValue[] = []
  const unreadable: number[] = []
  for (const value of step) {
    try {
      const resealed = secrets.reseal(purpose, value.sealed)
      if (resealed !== undefined) values.push({ ...value, resealed })
    } catch (error) {
      // An unreadable value must not stop the others; the job reports it at the end.
      if (!(error instanceof SealError)) throw error
      unreadable.push(value.id)
    }
  }
  return { values, unreadable }
}

/** Enqueues the job when an earlier key is known, unless it waits already. */
export async function resealAfterKeyChange(services: Services): Promise<void> {
  if (services.secrets.hasOldKeys) await transaction(services.db, (tx) => enqueue(tx, resealSecrets, {}))
}
