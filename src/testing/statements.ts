import type { Forge } from './forge.ts'
import { watchStatements, type RunStatement } from './watch-statements.ts'

/** Collects the statements that a forge runs outside of transactions until it is disposed. */
export async function collectStatements(forge: Forge): Promise<{ readonly statements: RunStatement[] } & Disposable> {
  await forge.settle()
  const statements: RunStatement[] = []
  const stop = watchStatements(forge, (run) => statements.push(...run))
  return { statements, [Symbol.dispose]: stop }
}
