import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { transaction, type Db } from '../db/database.ts'
import type { Clock } from '../lib/time.ts'
import { job, type AnyJob } from './job.ts'
import { startWorkers, type WorkerOptions, type Workers } from './workers.ts'

export interface Context {
  readonly ran: string[]
}

/** A clock that only `advance` moves. */
export const standingClock = (): Clock & { advance(ms: number): void } => {
  let ms = 1_800_000_000_000
  return { nowMs: () => ms, advance: (by) => void (ms += by) }
}

export const silent = (): void => {}

export interface Started extends Workers, AsyncDisposable, Context {}

export function start(
  db: Db,
  jobs: readonly AnyJob<Context>[],
  options: Partial<WorkerOptions<Context>> = {},
): Started {
  const ran: string[] = []
  const workers = startWorkers({
    db,
    jobs,
    createContext: () => ({ ran }),
    log: silent,
    slots: { default: 4 },
    ...options,
  })
  return Object.assign(workers, { ran, [Symbol.asyncDispose]: () => workers.stop(0) })
}

export const note = job({
  name: 'noteText',
  input: Type.Object({ text: Type.String() }),
  run: async (ctx: Context, input) => void ctx.ran.push(input.text),
})

export const laned = job({
  name: 'noteInLane',
  input: Type.Object({ lane: Type.String(), text: Type.String() }),
  lane: (input) => input.lane,
  run: async (ctx: Context, input) => {
    ctx.ran.push(`${input.text}+`)
    await sleep(5)
    ctx.ran.push(`${input.text}-`)
  },
})

/** Gives the rows a lease of a worker of another process, as after a crash. */
export const leaveBehind = (db: Db, leaseUntilMs: number, attempt = 1): Promise<unknown> =>
  transaction(db, (tx) =>
    sql`update job set state = 'running', leased_by = 'gone', lease_until_ms = ${leaseUntilMs}, attempt = ${attempt}`.execute(
      tx,
    ),
  )
