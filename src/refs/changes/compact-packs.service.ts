import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { packsToJoin } from '../../git/packs/join-packs.ts'
import { pluck } from '../../lib/pluck.ts'
import { nowUnix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'
import { listPacks, replacePacks } from './pack.store.ts'
import { raiseGeneration } from './ref.store.ts'

/**
 * Joins packs of a repository in the storage when it has many. The manifest names the new pack instead of them in one
 * transaction, unless another process has joined one of them. Nothing to do without a storage of packs.
 */
export async function compactPacks(services: Services, repository: GitRepository): Promise<void> {
  if (!services.packs) return
  const { db, git, clock } = services
  const { gitKey } = repository
  const livePacks = async () => (await listPacks(db, repository)).filter(({ cruftUnix }) => cruftUnix === undefined)
  const names = pluck(packsToJoin(await livePacks()), 'name')
  if (names.length === 0) return
  try {
    const made = await git.joinPacks(gitKey, names)
    const isReplaced = await transaction(db, async (tx) => {
      // Each copy is compared with the manifest, and drops the replaced packs.
      const isThere = (await raiseGeneration(tx, repository)) !== undefined
      return isThere && replacePacks(tx, repository, names, [made], nowUnix(clock))
    })
    if (isReplaced) return await git.bringUp(gitKey)
    // Another run may have made the same pack, which is in the manifest then.
    const live = new Set(pluck(await livePacks(), 'name'))
    if (!live.has(made.name)) await git.dropPacks(gitKey, [made.name])
  } catch (error) {
    // Another run joined the packs, and removed them from the disk while they were read.
    const live = new Set(pluck(await livePacks(), 'name'))
    if (names.every((name) => live.has(name))) throw error
  }
}
