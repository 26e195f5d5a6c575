import { engineOf } from '../db/database.ts'
import type { Forge } from './forge.ts'

/** A statement that a forge ran, with its parameters. */
export interface RunStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** The part of kysely's executor that runs statements. */
interface Executor {
  executeQuery(...args: readonly unknown[]): unknown
}

/**
 * Calls `onRun` for each query that a forge runs outside of transactions. Prepared queries that run together are one call.
 * @returns the function that stops watching
 */
export function watchStatements(forge: Forge, onRun: (statements: readonly RunStatement[]) => void): () => void {
  const engine = engineOf(forge.services.db)
  const executor = engine.reader.getExecutor() as unknown as Executor
  // oxlint-disable-next-line typescript/unbound-method -- called with the executor, and restored below
  const execute = executor.executeQuery
  executor.executeQuery = function watched(this: Executor, ...args) {
    onRun([args[0] as RunStatement])
    return execute.apply(this, [...args])
  }
  const stopWatchingPrepared = watchPrepared(engine, onRun)
  return () => {
    executor.executeQuery = execute
    stopWatchingPrepared()
  }
}

/** Watches the prepared statements, which bypass the executor. */
function watchPrepared(
  engine: ReturnType<typeof engineOf>,
  onRun: (statements: readonly RunStatement[]) => void,
): () => void {
  if (engine.kind === 'sqlite') {
    const ask = engine.askPrepared
    engine.askPrepared = (group, parameters) => {
      onRun(group.texts.map((sql, index) => ({ sql, parameters: parameters[index] ?? [] })))
      return ask(group, parameters)
    }
    return () => (engine.askPrepared = ask)
  }
  const ask = engine.askPrepared
  engine.askPrepared = (name, statement) => {
    onRun([statement])
    return ask(name, statement)
  }
  return () => (engine.askPrepared = ask)
}
