import { engineOf } from '../db/database.ts'
import type { Forge } from './forge.ts'

interface Executor {
  executeQuery(...args: readonly unknown[]): Promise<unknown>
}

/** A read whose answer is kept back, as on a machine that is busy with other things. */
export interface HeldRead {
  /** The rows were read and wait. */
  readonly isRead: Promise<void>
  /** Hands them over. */
  readonly release: () => void
}

/**
 * Keeps back the rows of the next read outside of a transaction whose text has `words`, until it is released. A read that
 * the embedded database answers in the same turn of the event loop cannot be kept back: nothing comes between.
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
