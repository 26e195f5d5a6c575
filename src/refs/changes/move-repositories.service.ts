import { everyRepo } from '../../access/repo-scan.store.ts'
import { transaction, type Db } from '../../db/database.ts'
import type { Git, NamedPack, StoredPack } from '../../git/git.ts'
import { filesOfPack, type PackStore } from '../../git/packs/pack-store.ts'
import { sha256OfStream } from '../../lib/sha256-of-stream.ts'
import { gitRepositoriesOf, type GitRepository } from '../git-repository.ts'
import { deletePacksExcept, insertPacks, listPacks } from './pack.store.ts'

/** What one pass over all repositories found. */
export interface MovedRepositories {
  repositories: number
  /** Packs that were stored in this pass, and their bytes. */
  packs: number
  sizeBytes: number
  /** What is wrong, one line each. */
  readonly problems: string[]
}

interface Move {
  readonly db: Db
  /** Its packs are durable in `packs`, and its folder is that of the instance. */
  readonly git: Git
  readonly packs: PackStore
  /** Called after each batch of repositories. */
  readonly onProgress: (moved: Readonly<MovedRepositories>) => void
}

/** Maintenance may join packs while they are stored. */
const attempts = 3

/**
 * Stores the objects of repositories on the disk as packs, those that the manifest lacks. A server may work with the
 * repositories on the disk meanwhile: the next pass stores what it writes.
 * @param isLast no server runs, and the manifest becomes exactly what is on the disk
 */
export async function storeRepositories(move: Move, isLast: boolean): Promise<MovedRepositories> {
  return eachRepository(move, async (repository, moved) => {
    const made = await storeMissing(move.git, repository)
    const onDisk = isLast ? await move.git.packNames(repository.gitKey) : undefined
    await transaction(move.db, async (tx) => {
      await insertPacks(tx, repository, made)
      if (onDisk) await deletePacksExcept(tx, repository, onDisk)
    })
    moved.packs += made.length
    moved.sizeBytes += made.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  })
}

async function storeMissing(git: Git, { gitKey }: GitRepository): Promise<readonly StoredPack[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- another attempt only when a pack went away
      return await git.keepObjects(gitKey)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === attempts) throw error
    }
  }
}

/** Brings the whole copy of each repository to the disk. What a server evicts or writes meanwhile the next pass brings. */
export const bringRepositories = (move: Move): Promise<MovedRepositories> =>
  eachRepository(move, ({ gitKey }) => move.git.bringUp(gitKey))

/** Reads each pack of the manifest and compares it with its SHA-256. */
export const verifyPacks = (move: Move): Promise<MovedRepositories> =>
  eachRepository(move, async (repository, moved) => {
    for (const pack of await listPacks(move.db, repository)) {
      const problem = await problemOf(move.packs, pack)
      if (problem !== undefined) moved.problems.push(`${repository.gitKey}: ${problem}`)
    }
  })

async function problemOf(packs: PackStore, { blobKey, sha256, indexSha256 }: NamedPack): Promise<string | undefined> {
  const sums = { '.pack': sha256, '.idx': indexSha256 }
  for (const { key, ending } of filesOfPack(blobKey)) {
    const found = await packs.get(key)
    if (!found) return `the storage lacks ${key}`
    if ((await sha256OfStream(found.stream)) !== sums[ending]) return `the storage has another content for ${key}`
  }
  return undefined
}

/** Checks that each repository on the disk has the objects of its references. */
export const checkRepositories = (move: Move): Promise<MovedRepositories> =>
  eachRepository(move, async ({ gitKey }, moved) => {
    const { ok, problems } = await move.git.fsck(gitKey)
    if (!ok) moved.problems.push(...problems.map((problem) => `${gitKey}: ${problem}`))
  })

async function eachRepository(
  { db, onProgress }: Move,
  work: (repository: GitRepository, moved: MovedRepositories) => Promise<void>,
): Promise<MovedRepositories> {
  const moved: MovedRepositories = { repositories: 0, packs: 0, sizeBytes: 0, problems: [] }
  for await (const repos of everyRepo(db)) {
    for (const repository of repos.flatMap(gitRepositoriesOf)) {
      await work(repository, moved)
      moved.repositories += 1
    }
    onProgress(moved)
  }
  return moved
}
