import type { Services } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import { newGitKey } from '../../git/git-key.ts'
import type { DividedPacks, NamedPack } from '../../git/git.ts'
import type { GitKey } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'
import { insertPacks, listPacks, replaceAllPacks, replacePacks } from './pack.store.ts'
import { findGeneration, lockRepo, raiseGeneration, updateGitKey } from './ref.store.ts'

/** How long objects are kept after they were found unreachable, in seconds. */
export const unreachableSeconds = 14 * 86_400

/**
 * `whole`: no object is unreachable. `kept`: unreachable objects are in a pack of their own until their time has passed.
 * `busy`: references changed meanwhile, so nothing was removed.
 */
export type Division = 'whole' | 'kept' | 'busy'

/**
 * Sets unreachable objects of a repository in the storage apart, in a pack of their own, and removes those that were set apart
 * two weeks ago and are unreachable still. Removing gives the repository a new key, so that a change finds no repository when
 * it relies on objects that it saw under the old one (docs/decisions/0159-packs-are-blobs.md).
 */
export async function dividePacks(services: Services, repository: GitRepository): Promise<Division> {
  if (!services.packs) return 'whole'
  const { db, git, clock } = services
  const expiredUnix = nowUnix(clock) - unreachableSeconds
  const isExpired = ({ cruftUnix }: NamedPack): boolean => cruftUnix !== undefined && cruftUnix <= expiredUnix
  const isKept = (pack: NamedPack): boolean => pack.cruftUnix !== undefined && !isExpired(pack)
  // One pack of unreachable objects at a time, so that each has one time.
  if ((await listPacks(db, repository)).some(isKept)) return 'kept'
  const newKey = newGitKey()
  const divided = await git.dividePacks(repository.gitKey, newKey, isExpired)
  if (!divided) return 'whole'
  const { others, isLossy } = divided
  try {
    const isDone = await transaction(db, (tx) =>
      (isLossy ? removeObjects : replaceAll)(tx, repository, { divided, newKey, nowUnix: nowUnix(clock) }),
    )
    if (!isDone) {
      await git.remove(newKey)
      return 'busy'
    }
  } catch (error) {
    await git.remove(newKey)
    throw error
  }
  if (!isLossy) await git.takePacks(newKey, repository.gitKey, pluck(packsOf(divided, undefined), 'name'))
  return others === undefined ? 'whole' : 'kept'
}

interface Result {
  readonly divided: DividedPacks
  readonly newKey: GitKey
  readonly nowUnix: Unix
}

const packsOf = ({ reachable, others }: DividedPacks, cruftUnix: Unix | undefined) => [
  ...(reachable ? [reachable] : []),
  ...(others ? [{ ...others, cruftUnix }] : []),
]

/** All objects are in the new packs, so references may have changed meanwhile. */
async function replaceAll(tx: Tx, repository: GitRepository, { divided, nowUnix: now }: Result): Promise<boolean> {
  const isThere = (await raiseGeneration(tx, repository)) !== undefined
  return isThere && replacePacks(tx, repository, divided.names, packsOf(divided, now), now)
}

/** Objects are missing in the new packs, which are right for the references of one generation only. */
async function removeObjects(tx: Tx, repository: GitRepository, result: Result): Promise<boolean> {
  const { divided, newKey, nowUnix: now } = result
  await lockRepo(tx, repository.repoId)
  if ((await findGeneration(tx, repository.gitKey))?.generation !== divided.generation) return false
  await updateGitKey(tx, repository, newKey)
  await replaceAllPacks(tx, repository, now)
  await insertPacks(tx, { ...repository, gitKey: newKey }, packsOf(divided, now))
  return true
}
