import { isDeepStrictEqual } from 'node:util'
import type { Services } from '../access/context.ts'
import { nameForDoctor, type Finding, type RepoCheck } from '../access/contributions/doctor.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { pluck } from '../lib/pluck.ts'
import { branchOf, tagOf } from '../lib/refs.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { codeOf, wikiOf, type GitRepository } from './git-repository.ts'
import { changesOnDisk, differences, takeFromDisk } from './changes/disk.service.ts'
import type { RefChange } from './changes/ref-door.service.ts'
import { readRefFacts } from './changes/ref-facts.service.ts'
import { loadRecorded, loadRefs, lockRepo, updateEmptiness, upsertBranches, upsertTags } from './changes/ref.store.ts'

export const referencesCheck: RepoCheck = {
  name: 'references',
  about: 'the references on the disk are those of the instance, and lists of branches and tags agree with them',
  async *runOn(services, { repo, isOnDisk }, { fix, takeReferences = false }) {
    // The check of repositories reports a missing git repository.
    if (!isOnDisk) return
    const wikiKey = repo.wiki_git_key
    const hasWiki = wikiKey !== null && (await services.git.exists(wikiKey))
    for (const repository of [codeOf(repo), ...(hasWiki ? [wikiOf(repo, wikiKey)] : [])]) {
      // A copy that lags is no fault: its next reader brings it up.
      await services.git.ready(repository.gitKey)
      const changes = await changesOnDisk(services, repository)
      if (changes.length === 0) continue
      if (fix && takeReferences) await takeFromDisk(services, repository, repo.owner_id)
      else if (fix) await services.git.bringUp(repository.gitKey)
      const left = new Set(pluck(fix ? await changesOnDisk(services, repository) : changes, 'ref'))
      for (const { ref, old, new: now } of changes) {
        const state = !fix ? 'fixable' : left.has(ref) ? 'report' : 'fixed'
        const where = repository.kind === 'wiki' ? `${ref} of the wiki` : ref
        yield { what: `${nameForDoctor(repo)}: ${where} is ${old}, and ${now} on the disk`, state }
      }
    }
    yield* checkLists(services, repo, fix)
  },
}

/** Compares the rows that lists show with the references. */
async function* checkLists(services: Services, repo: RepoRow, fix: boolean): AsyncGenerator<Finding> {
  const repository = codeOf(repo)
  const changes = await unlistedChanges(services.db, repository)
  let state: Finding['state'] = 'fixable'
  if (changes.length > 0 && fix) {
    const facts = await readRefFacts(services, repo.git_key, changes)
    const isFixed = await transaction(services.db, async (tx) => {
      await lockRepo(tx, repo.id)
      // A push came meanwhile: the facts are old.
      if (!isDeepStrictEqual(await unlistedChanges(tx, repository), changes)) return false
      await rewriteLists(tx, repository, repo, facts, nowUnix(services.clock))
      return true
    })
    if (isFixed) state = 'fixed'
  }
  for (const { ref, old, new: now } of changes) {
    yield { what: `${nameForDoctor(repo)}: ${ref} is ${now} and listed as ${old}`, state }
  }
}

async function unlistedChanges(db: Services['db'] | Tx, repository: GitRepository): Promise<RefChange[]> {
  const [listed, refs] = [await loadRecorded(db, repository.repoId), await loadRefs(db, repository)]
  const shown = new Map([...refs].filter(([ref]) => branchOf(ref) !== undefined || tagOf(ref) !== undefined))
  return differences(listed, shown, repository)
}

async function rewriteLists(
  tx: Tx,
  { repoId }: GitRepository,
  { owner_id: doerId }: RepoRow,
  facts: Awaited<ReturnType<typeof readRefFacts>>,
  nowUnix: Unix,
): Promise<void> {
  const recording = { repoId, doerId, nowUnix, isPushed: true }
  await upsertBranches(tx, recording, facts.branches)
  await upsertTags(tx, recording, facts.tags)
  await updateEmptiness(tx, repoId)
}
