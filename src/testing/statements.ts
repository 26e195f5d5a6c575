import { engineOf } from '../db/database.ts'
import type { Forge } from './forge.ts'

/** A statement that a forge ran, with what it was asked with. */
export interface RunStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

interface Executor {
  executeQuery(...args: readonly unknown[]): unknown
}

/** Collects the statements that a forge runs outside of transactions until it is disposed. */
export async function collectStatements(forge: Forge): Promise<{ readonly statements: RunStatement[] } & Disposable> {
  await forge.settle()
  const engine = engineOf(forge.services.db)
  const executor = engine.reader.getExecutor() as unknown as Executor
  // oxlint-disable-next-line typescript/unbound-method -- called with the executor, and put back as it was
  const own = executor.executeQuery
  const statements: RunStatement[] = []
  executor.executeQuery = function collected(this: Executor, ...args) {
    const { sql, parameters } = args[0] as RunStatement
    statements.push({ sql, parameters })
    return own.apply(this, [...args])
  }
  const asked = engine.askPrepared
  if (engine.kind === 'sqlite') {
    engine.askPrepared = (group, parameters) => {
      for (const [index, sql] of group.texts.entries()) statements.push({ sql, parameters: parameters[index] ?? [] })
      return (asked as typeof engine.askPrepared)(group, parameters)
    }
  } else {
    engine.askPrepared = (name, statement) => {
      statements.push(statement)
      return (asked as typeof engine.askPrepared)(name, statement)
    }
  }
  return {
    statements,
    [Symbol.dispose]() {
      executor.executeQuery = own
      engine.askPrepared = asked as never
    },
  }
}
