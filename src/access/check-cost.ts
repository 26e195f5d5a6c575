import { requestOrigin } from '../audit/request-origin.ts'
import type { BegunCommand, CommandKind } from '../git/git-options.ts'
import type { NamedOperation } from '../http/operation.ts'

/** Commands whose work does not grow with what people have stored; `ls-tree` measures an archive within its slot. */
const smallCommands: ReadonlySet<string> = new Set([
  'cat-file',
  'config',
  'init',
  'ls-tree',
  // Objects that the operation wrote (git/packs/blob-home.ts).
  'pack-written',
  'symbolic-ref',
  'update-ref',
])

/** Kinds of commands that wait for a slot of their kind before they start (docs/decisions/0026-fair-shares.md). */
const countedKinds: ReadonlySet<CommandKind> = new Set(['fetch', 'push', 'archive', 'download'])

/**
 * In tests, an operation that starts git without a slot is a defect. Transport announces references before it knows
 * what the client wants, and its slots are those of its commands.
 * @throws Error when the operation must declare that it is expensive
 */
export function checkCost(operation: NamedOperation | undefined, { name, kind }: BegunCommand): void {
  if (operation === undefined || operation.cost === 'expensive' || operation.family === 'git') return
  if (requestOrigin()?.hasSlot) return
  if (smallCommands.has(name) || countedKinds.has(kind)) return
  throw new Error(`${operation.id}: it starts git ${name}, so its cost is 'expensive'`)
}
