import type { Services } from '../access/context.ts'
import { nameForDoctor, type RepoCheck, type WholeCheck } from '../access/contributions/doctor.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { branchOf, tagOf, zeroOid } from '../lib/refs.ts'
import { codeOf } from './git-repository.ts'
import { listEntriesToSettle, settleLeftovers } from './journal/leftovers.service.ts'
import { listOpenRefs, recordUnrecorded, type RefChange } from './journal/ref-door.service.ts'
import { loadRecorded } from './journal/ref-journal.store.ts'

/** Journal entries per batch. */
const batch = 200

export const journalCheck: WholeCheck = {
  name: 'ref-journal',
  about: 'no change of references is unfinished',
  async *run(services, { fix }) {
    // With SQLite, fixing holds the data folder, so no other process works on it.
    const which = fix && services.config.database.kind === 'sqlite3' ? 'all' : 'abandoned'
    const before = await listEntriesToSettle(services, which, batch)
    if (before.length === 0) return
    if (fix) await settleLeftovers(services, which)
    const left = new Set((await listEntriesToSettle(services, which, batch)).map((row) => row.id))
    for (const row of before) {
      const state = !fix ? 'fixable' : left.has(row.id) ? 'report' : 'fixed'
      yield { what: `repository ${row.repo_id}: change ${row.id} of references is unfinished`, state }
    }
  },
}

export const referencesCheck: RepoCheck = {
  name: 'references',
  about: 'the rows of branches and tags agree with git',
  async *runOn(services, { repo, isOnDisk }, { fix }) {
    // The check of repositories reports a missing git repository.
    if (!isOnDisk) return
    const changes = await unrecordedChanges(services, repo)
    if (changes.length === 0) return
    // Recorded like any change, so that pull requests, webhooks and search follow it.
    const origin = { doerId: repo.owner_id, via: 'internal' } as const
    const isFixed = fix && (await recordUnrecorded(services, codeOf(repo), changes, origin))
    // Another process is recording the changes.
    if (fix && !isFixed) return
    for (const { ref, old, new: now } of changes) {
      yield {
        what: `${nameForDoctor(repo)}: ${ref} is recorded as ${old} and git has ${now}`,
        state: fix ? 'fixed' : 'fixable',
      }
    }
  },
}

/**
 * Branches and tags whose rows differ from git. References with a journal entry are left out: settling the entry
 * records them.
 */
async function unrecordedChanges(services: Services, repo: RepoRow): Promise<RefChange[]> {
  const none = zeroOid(repo.object_format)
  const open = await listOpenRefs(services.db, { repoId: repo.id, kind: 'code' })
  const recorded = await loadRecorded(services.db, repo.id)
  const actual = new Map(
    (await services.git.readRefs(repo.git_key))
      .filter(({ name }) => branchOf(name) !== undefined || tagOf(name) !== undefined)
      .map(({ name, oid }) => [name, oid]),
  )
  return [...new Set([...recorded.keys(), ...actual.keys()])].flatMap((ref) => {
    const change = { ref, old: recorded.get(ref) ?? none, new: actual.get(ref) ?? none }
    return change.old === change.new || open.has(ref) ? [] : [change]
  })
}
