import { stat } from 'node:fs/promises'
import type { Services } from '../access/context.ts'
import { findDatabaseDamage } from '../db/check.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { listJobs, type JobRow } from '../jobs/queue.ts'
import type { GitKey, RepoId } from '../lib/ids.ts'
import { branchOf, tagOf, zeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { leftoverAgeSeconds, openJournal, settle, settleLeftovers, type RefChange } from '../refs/ref-door.service.ts'
import { checkHeadAndEmptiness } from '../repos/doctor.service.ts'
import { listJournal, loadRecorded } from '../refs/ref-journal.store.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { checkPullRefs } from '../pulls/doctor.service.ts'
import type { DoctorCheck, Finding } from './doctor.service.ts'
import { blobColumns, listKnownGitKeys, listNamedBlobs, listPendingWork } from './file-scan.store.ts'
import { recount } from './recount.service.ts'
import { listReposAfter } from './repo-scan.store.ts'

const databaseCheck: DoctorCheck = {
  name: 'database',
  about: 'the database is whole',
  async *run({ db }) {
    for (const what of await findDatabaseDamage(db)) yield { what, state: 'report' }
  },
}

const keyFileCheck: DoctorCheck = {
  name: 'key-file',
  about: 'the instance key can be read by its owner only',
  async *run({ config }) {
    const file = config.paths.secretKeyFile
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      // The key may be a setting instead.
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (found && (found.mode & 0o077) !== 0) yield { what: `${file} may be read by others`, state: 'report' }
  },
}

/** Rows that are read at once. */
const fixBatch = 200

const countersCheck: DoctorCheck = {
  name: 'counters',
  about: 'stored counts are what can be counted',
  async *run({ db }, { fix }) {
    for await (const { counter, wrong } of recount(db, fix)) {
      const what = `${counter.table} ${wrong.id}: ${counter.column} is ${wrong.stored} and should be ${wrong.counted}`
      yield { what, state: fix ? 'fixed' : 'fixable' }
    }
  },
}

const journalCheck: DoctorCheck = {
  name: 'ref-journal',
  about: 'no change of references was left unfinished',
  async *run(services, { fix }) {
    const { db, config, clock } = services
    // Fixing holds the data folder, so with SQLite nobody else is at work.
    const age = fix && config.database.kind === 'sqlite3' ? 0 : leftoverAgeSeconds
    const before = await listJournal(db, nowUnix(clock) - age, 0, fixBatch)
    if (before.length === 0) return
    if (fix) await settleLeftovers(services, age)
    const left = new Set((await listJournal(db, nowUnix(clock) - age, 0, fixBatch)).map((row) => row.id))
    for (const row of before) {
      const state = !fix ? 'fixable' : left.has(row.id) ? 'report' : 'fixed'
      yield { what: `repository ${row.repo_id}: change ${row.id} of references was left unfinished`, state }
    }
  },
}

const repositoriesCheck: DoctorCheck = {
  name: 'repositories',
  about:
    'every repository is on the disk, and what is recorded of its branches, tags and pull requests is what git has',
  async *run(services, { fix }) {
    for (let after = 0 as RepoId; ;) {
      const repos = await listReposAfter(services.db, after, fixBatch)
      for (const repo of repos) yield* checkRepository(services, repo, fix)
      const last = repos.at(-1)
      if (!last || repos.length < fixBatch) return
      after = last.id
    }
  },
}

async function* checkRepository(services: Services, repo: RepoRow, fix: boolean): AsyncGenerator<Finding> {
  const name = `repository ${repo.id} (${repo.name})`
  if (!(await services.git.exists(repo.git_key))) {
    yield { what: `${name}: its git repository ${repo.git_key} is missing`, state: 'report' }
    return
  }
  if (repo.wiki_git_key !== null && !(await services.git.exists(repo.wiki_git_key))) {
    yield { what: `${name}: the git repository ${repo.wiki_git_key} of its wiki is missing`, state: 'report' }
  }
  const changes = await unrecordedChanges(services, repo)
  if (changes.length > 0) yield* recordChanges(services, repo, changes, fix)
  // What was just recorded has changed the row.
  const row = changes.length > 0 ? await findRepoById(services.db, repo.id) : repo
  if (!row) return
  yield* checkHeadAndEmptiness(services, row, { fix })
  yield* checkPullRefs(services, row, { fix })
}

async function* recordChanges(
  services: Services,
  repo: RepoRow,
  changes: readonly RefChange[],
  fix: boolean,
): AsyncGenerator<Finding> {
  const state = fix ? 'fixed' : 'fixable'
  if (fix) {
    // Recorded like any other change, so that pull requests, webhooks and search hear of it too.
    const journal = await openJournal(services, repo, changes, { doerId: repo.owner_id, via: 'internal' })
    await settle(services, journal, changes)
  }
  for (const { ref, old, new: now } of changes) {
    yield { what: `repository ${repo.id} (${repo.name}): ${ref} is recorded as ${old} and git has ${now}`, state }
  }
}

/** Branches and tags of which something else is recorded than git has. */
async function unrecordedChanges(services: Services, repo: RepoRow): Promise<RefChange[]> {
  const none = zeroOid(repo.object_format)
  const recorded = await loadRecorded(services.db, repo.id)
  const actual = new Map(
    (await services.git.readRefs(repo.git_key))
      .filter(({ name }) => branchOf(name) !== undefined || tagOf(name) !== undefined)
      .map(({ name, oid }) => [name, oid]),
  )
  return [...new Set([...recorded.keys(), ...actual.keys()])].flatMap((ref) => {
    const change = { ref, old: recorded.get(ref) ?? none, new: actual.get(ref) ?? none }
    return change.old === change.new ? [] : [change]
  })
}

/** Git repositories whose rows are looked up at once. */
const keyBatch = 500

const orphansCheck: DoctorCheck = {
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
  // Those of deleted repositories lie there until a job has removed them.
  const pending = await listPendingWork(services.db)
  for (const key of unknown) {
    if (pending.some((text) => text.includes(key))) continue
    const isEmpty = await services.git.isEmpty(key)
    if (isEmpty && fix) await services.git.remove(key)
    const what = `the git repository ${key}${isEmpty ? ', which is empty,' : ''} belongs to nothing`
    yield { what, state: isEmpty ? (fix ? 'fixed' : 'fixable') : 'report' }
  }
}

const filesCheck: DoctorCheck = {
  name: 'files',
  about: 'attachments and pictures are in their stores',
  async *run(services) {
    for (const column of blobColumns) {
      for (let after = 0; ;) {
        const named = await listNamedBlobs(services.db, column, after, fixBatch)
        for (const { id, key } of named) {
          if (await services.blobs[column.store].stat(key)) continue
          yield { what: `${column.table} ${id}: its file ${key} is missing from ${column.store}`, state: 'report' }
        }
        const last = named.at(-1)
        if (!last || named.length < fixBatch) break
        after = last.id
      }
    }
  },
}

const jobsCheck: DoctorCheck = {
  name: 'jobs',
  about: 'no background job has failed for good or waits for another release',
  async *run({ db }) {
    for (const job of await listJobs(db, { state: 'failed', limit: 1000 })) {
      yield {
        what: `job ${job.id} (${job.name}) failed ${howItFailed(job)}: ${job.last_error}`,
        state: 'report',
      }
    }
    for (const job of await listJobs(db, { state: 'waiting', problem: 'unreadable', limit: 1000 })) {
      yield {
        what: `job ${job.id} (${job.name}) waits for a release that can read it: ${job.last_error}`,
        state: 'report',
      }
    }
  },
}

const howItFailed = ({ problem, attempt }: JobRow): string =>
  problem === 'permanent' ? 'for good, since another attempt would not help' : `after ${attempt} attempts`

/** What `ingot doctor` looks at, in this order: later checks rely on what earlier ones put right. */
export const doctorChecks: readonly DoctorCheck[] = [
  databaseCheck,
  keyFileCheck,
  journalCheck,
  repositoriesCheck,
  orphansCheck,
  filesCheck,
  countersCheck,
  jobsCheck,
]
