import { pluck } from '../../lib/pluck.ts'
import { Invalid, Unavailable } from '../../lib/errors.ts'
import { fullDisk, saysFullDisk } from '../../lib/full-disk.ts'
import type { GitContext } from '../context.ts'
import { explainMissing, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { RefUpdate, RefUpdateResult } from '../git.ts'
import { branchOf, isOid, isZeroOid } from '../../lib/refs.ts'
import { objectInfos } from '../objects/object-reader.ts'
import { flushRefs, manyReferences, withoutSync } from '../files/flush.ts'
import { removeAbandonedLocks } from '../files/leftovers.ts'
import { isValidRefName } from '../../lib/ref-name.ts'

type Refusal = Extract<RefUpdateResult, { ok: false }>

/**
 * Makes all updates in one transaction of `update-ref --stdin`: all happen or none. The second of two concurrent
 * writers of one reference gets `stale`.
 */
export async function updateRefs(
  context: GitContext,
  key: GitKey,
  updates: readonly RefUpdate[],
): Promise<RefUpdateResult> {
  if (updates.length === 0) return { ok: true }
  const [refused] = checkForms(context, updates)
  if (refused) return refused
  const location = locate(context, key)
  const lines = updates.map((update) => {
    const old = update.old ?? ''
    return isZeroOid(update.new)
      ? `delete ${update.ref}\0${isZeroOid(old) ? '' : old}\0`
      : `update ${update.ref}\0${update.new}\0${old}\0`
  })
  await removeAbandonedLocks(context, key, ['packed-refs', ...updates.map(({ ref }) => ref)])
  const { exitCode, stderr } = await context.broker
    .run({
      args: [...(updates.length > manyReferences ? withoutSync : []), 'update-ref', '-z', '--stdin'],
      name: 'update-ref',
      cwd: location.directory,
      kind: 'write',
      input: Buffer.from(`start\0${lines.join('')}prepare\0commit\0`),
    })
    .catch((error: unknown) => explainMissing(location, error))
  if (exitCode !== 0) return explain(updates, stderr)
  await flushRefs(context, location.directory, pluck(updates, 'ref'))
  return { ok: true }
}

/** Checks names and numbers. @throws Invalid */
function checkForms(context: GitContext, updates: readonly RefUpdate[]): Refusal[] {
  if (updates.length > context.limits.maxRefUpdates) throw new Invalid('too many references in one change')
  if (new Set(updates.map((update) => update.ref)).size !== updates.length) {
    throw new Invalid('a reference occurs twice in one change')
  }
  return updates.flatMap((update) => checkForm(update) ?? [])
}

/** Returns the updates whose names or objects git would refuse: a missing object, or a branch that is no commit. */
export async function checkUpdates(
  context: GitContext,
  key: GitKey,
  updates: readonly RefUpdate[],
): Promise<readonly Refusal[]> {
  const refused = checkForms(context, updates)
  const names = new Set(pluck(refused, 'ref'))
  const set = updates.filter((update) => !names.has(update.ref) && !isZeroOid(update.new))
  const infos = await objectInfos(context, key, pluck(set, 'new'))
  const refuse = (ref: string, message: string): void =>
    void refused.push({ ok: false, reason: 'invalid', ref, message })
  for (const { ref, new: oid } of set) {
    const type = infos.get(oid)?.type
    const isFit = type === 'commit' || (type !== undefined && branchOf(ref) === undefined)
    if (isFit) continue
    refuse(ref, type === undefined ? `the object ${oid} does not exist` : `${oid} is no commit, and a branch names one`)
  }
  return refused
}

function checkForm(update: RefUpdate): Refusal | undefined {
  const refuse = (message: string): Refusal => ({ ok: false, reason: 'invalid', ref: update.ref, message })
  if (!isValidRefName(update.ref)) return refuse('the reference name is not valid')
  // `HEAD` alone would be ambiguous. An existing branch with this name can be deleted.
  if (update.ref === 'refs/heads/HEAD' && !isZeroOid(update.new)) return refuse('a branch cannot be named HEAD')
  if (!isOid(update.new) || (update.old !== undefined && !isOid(update.old))) return refuse('an object id is not valid')
  const isAbsent = update.old !== undefined && isZeroOid(update.old)
  if (isAbsent && isZeroOid(update.new)) return refuse('deleting what must not exist')
  return undefined
}

/** Maps git's messages (2.39 to 2.5x, LC_ALL=C) to results. Each message quotes the reference. */
function explain(updates: readonly RefUpdate[], stderr: string): RefUpdateResult {
  const message = stderr.split('\n').find((line) => line.startsWith('fatal:')) ?? stderr
  const named = updates
    .filter((update) => message.includes(`'${update.ref}'`))
    .sort((a, b) => b.ref.length - a.ref.length)
  const ref = (named[0] ?? updates[0]!).ref
  const result = (reason: Refusal['reason']): Refusal => ({
    ok: false,
    reason,
    ref,
    message: message.replace(/^fatal: /, ''),
  })
  // git does not say why it cannot write a file that it has made.
  if (saysFullDisk(stderr) || /couldn't write '/.test(stderr)) throw fullDisk()
  if (/cannot create '|there is a non-empty directory|cannot process '.*' and '.*' at the same time/.test(message)) {
    return result('conflict')
  }
  if (/reference already exists/.test(message)) return result('exists')
  if (/but expected|unable to resolve reference|reference is missing/.test(message)) return result('stale')
  if (/nonexistent object|not a valid|non-commit object|invalid/.test(message)) return result('invalid')
  if (/Unable to create '.*\.lock'/.test(stderr)) {
    throw new Unavailable('another change of the reference is under way', 'git_ref_locked', { ref })
  }
  throw new Error(`git update-ref failed: ${stderr.slice(-2000)}`)
}
