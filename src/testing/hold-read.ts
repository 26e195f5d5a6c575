import { engineOf } from '../db/database.ts'
import type { Forge } from './forge.ts'

interface Executor {
  executeQuery(...args: readonly unknown[]): Promise<unknown>
}

/** A delayed result of a read, as on a busy machine. */
export interface HeldRead {
  /** Resolves when the rows were read. */
  readonly isRead: Promise<void>
  /** Delivers the rows. */
  readonly release: () => void
}

/**
 * Delays the result of the next read outside a transaction whose text contains `words`, until it is released. SQLite
 * reads that finish in the same turn of the event loop cannot be delayed.
 */
export function holdNextRead(forge: Forge, words: string): HeldRead {
  const engine = engineOf(forge.services.db)
  const read = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isHeld = false
  async function hold<Answer>(text: string, answer: Promise<Answer>): Promise<Answer> {
    if (isHeld || !text.includes(words)) return answer
    isHeld = true
    const rows = await answer
    read.resolve()
    await released.promise
    return rows
  }
  const executor = engine.reader.getExecutor() as unknown as Executor
  // oxlint-disable-next-line typescript/unbound-method -- called with the executor
  const own = executor.executeQuery
  executor.executeQuery = function held(this: Executor, ...args) {
    return hold((args[0] as { sql: string }).sql, own.apply(this, [...args]))
  }
  if (engine.kind === 'postgres') {
    const ask = engine.askPrepared
    engine.askPrepared = (name, statement) => hold(statement.sql, ask(name, statement))
  }
  return { isRead: read.promise, release: released.resolve }
}
