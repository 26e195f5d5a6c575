import type { Services } from '../../access/context.ts'
import { nameForDoctor, type Finding, type RepoCheck, type WholeCheck } from '../../access/contributions/doctor.ts'
import { transaction } from '../../db/database.ts'
import { idBatches } from '../../db/id-batches.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { GitKey } from '../../lib/ids.ts'
import { gitKeysOf } from './every-repository.service.ts'
import { updateEmptiness } from '../../refs/changes/ref.store.ts'
import { recordGitUsage } from '../git-usage.service.ts'
import { updateGitSize } from './measure.store.ts'
import { copyAnew, countOthers, givenTables } from '../people/given-copy.store.ts'
import { listPendingWork } from './pending-work.store.ts'
import { listKnownGitKeys } from '../repo.store.ts'

export const repositoriesCheck: RepoCheck = {
  name: 'repositories',
  about: 'every repository is on the disk, and has the default branch, emptiness and size that are recorded',
  async *runOn(services, { repo, isOnDisk }, { fix }) {
    if (!isOnDisk) {
      yield { what: `${nameForDoctor(repo)}: its git repository ${repo.git_key} is missing`, state: 'report' }
      return
    }
    if (repo.wiki_git_key !== null && !(await services.git.exists(repo.wiki_git_key))) {
      const what = `${nameForDoctor(repo)}: the git repository ${repo.wiki_git_key} of its wiki is missing`
      yield { what, state: 'report' }
    }
    yield* checkHeadAndEmptiness(services, repo, fix)
    yield* checkSize(services, repo, fix)
  },
}

/** Tolerated difference of a recorded size: git packs by itself, and a push is measured later. */
const toleratedBytes = 1 << 20
const toleratedPart = 0.1

/** Compares the recorded and charged size with the size on disk. */
async function* checkSize(services: Services, repo: RepoRow, fix: boolean): AsyncGenerator<Finding> {
  const sizeBytes = await services.git.sizeBytes(repo.git_key)
  const difference = Math.abs(sizeBytes - repo.git_size_bytes)
  if (difference <= Math.max(toleratedBytes, sizeBytes * toleratedPart)) return
  if (fix) {
    await transaction(services.db, async (tx) => {
      const changed = await updateGitSize(tx, repo, sizeBytes)
      if (changed) await recordGitUsage(tx, [changed])
    })
  }
  yield {
    what: `${nameForDoctor(repo)}: it takes ${sizeBytes} bytes, and ${repo.git_size_bytes} are recorded`,
    state: fix ? 'fixed' : 'fixable',
  }
}

/**
 * Compares HEAD with the default branch, and the recorded emptiness with git's. For the default branch the row
 * decides, for emptiness git decides.
 */
async function* checkHeadAndEmptiness(services: Services, repo: RepoRow, fix: boolean): AsyncGenerator<Finding> {
  const state = fix ? 'fixed' : 'fixable'
  const { branch } = await services.git.readHead(repo.git_key)
  if (branch !== repo.default_branch) {
    if (fix) await services.git.bringUp(repo.git_key)
    yield {
      what: `${nameForDoctor(repo)}: HEAD names ${branch} and the default branch is ${repo.default_branch}`,
      state,
    }
  }
  const isEmpty = await services.git.isEmpty(repo.git_key)
  if (isEmpty !== repo.is_empty) {
    if (fix) await transaction(services.db, (tx) => updateEmptiness(tx, repo.id))
    yield {
      what: `${nameForDoctor(repo)}: it is recorded as ${repo.is_empty ? '' : 'not '}empty, and is not so`,
      state,
    }
  }
}

export const gitLeftoversCheck: RepoCheck = {
  name: 'git-leftovers',
  about: 'no git process that died has left a lock or unfinished objects in a repository',
  async *runOn({ git }, { repo, isOnDisk }, { fix }) {
    if (!isOnDisk) return
    for (const key of gitKeysOf(repo)) {
      if (!(await git.exists(key))) continue
      const dead = await git.findDead(key)
      if (fix && dead.length > 0) await git.removeDead(key)
      for (const path of dead) {
        yield { what: `${nameForDoctor(repo)}: a dead process left ${path}`, state: fix ? 'fixed' : 'fixable' }
      }
    }
  },
}

/** Longest time in which a git repository gets its row, in milliseconds. */
const youngMs = 6 * 60 * 60_000

/** Number of git repositories in one lookup of rows. */
const keyBatch = 500

export const orphansCheck: WholeCheck = {
  name: 'orphans',
  about: 'every git repository on the disk belongs to a repository or a wiki',
  async *run(services, { fix }) {
    let keys: GitKey[] = []
    for await (const key of services.git.listKeys()) {
      keys.push(key)
      if (keys.length < keyBatch) continue
      yield* checkKeys(services, keys, fix)
      keys = []
    }
    yield* checkKeys(services, keys, fix)
  },
}

async function* checkKeys(services: Services, keys: readonly GitKey[], fix: boolean): AsyncGenerator<Finding> {
  if (keys.length === 0) return
  const known = await listKnownGitKeys(services.db, keys)
  const unknown = keys.filter((key) => !known.has(key))
  if (unknown.length === 0) return
  // A job removes the git data of deleted repositories later.
  const pending = await listPendingWork(services.db)
  for (const key of unknown) {
    if (pending.some((text) => text.includes(key))) continue
    // A repository that is being made gets its row later, an import after its fetch.
    if ((await services.git.ageMs(key)) < youngMs) continue
    // A copy only, which the machine removes once a day.
    if (await services.git.isForsaken(key)) continue
    const isEmpty = await services.git.isEmpty(key)
    if (isEmpty && fix) await services.git.remove(key)
    const what = `the git repository ${key}${isEmpty ? ', which is empty,' : ''} belongs to nothing`
    yield { what, state: isEmpty ? (fix ? 'fixed' : 'fixable') : 'report' }
  }
}

/** Number of accounts in one batch. */
const peopleBatch = 1000

/** Lists find visible repositories by these copies. A wrong copy hides a repository, or shows it. */
export const givenCopiesCheck: WholeCheck = {
  name: 'what-was-given',
  about: 'collaborators and members of teams know what lists ask of their repository and team',
  async *run({ db }, { fix }) {
    for await (const batch of idBatches(db, 'user', peopleBatch)) {
      for (const table of givenTables) {
        const count = await countOthers(db, table, batch)
        if (count === 0) continue
        if (fix) await transaction(db, (tx) => copyAnew(tx, table, batch))
        const what = `${table}: ${count} rows of accounts ${batch.after + 1} to ${batch.last} do not say what is there`
        yield { what, state: fix ? 'fixed' : 'fixable' }
      }
    }
  },
}
