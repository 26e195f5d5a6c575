import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'node:test'
import type { Services } from '../access/context.ts'
import { createApp, type App } from '../app.ts'
import { loadConfig } from '../config/load-config.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { listJobs } from '../jobs/queue.ts'
import { removeCopies } from '../testing/copies.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { examined } from '../testing/doctor.ts'
import { TestClock } from '../testing/clock.ts'
import { storageEnvironment } from '../testing/forge.ts'
import { runProgram } from '../testing/program.ts'
import {
  clientOfRoot,
  databaseSettings,
  rootPassword,
  startProgram,
  type ServingProgram,
} from '../testing/serving-program.ts'
import { base64 } from '../testing/samples.ts'
import { until } from '../testing/until.ts'
import type { ForgeClient } from '../testing/client.ts'
import { Acknowledged, writeOnce } from './acknowledged.test-support.ts'

/** Number of kills; `INGOT_CRASH_ROUNDS` raises it. */
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 3)

/** Least and most changes of a round that are acknowledged before the kill. */
const [leastChanges, mostChanges] = [8, 32]

const settings = '[log]\nLEVEL = none\n[cron]\nENABLED = false\n[ingot]\nJOB_LEASE = 1s\nGIT_LOCK_AGE = 1s\n'

/** A data folder, and the programs that a test starts in it. */
class ProgramFolder {
  readonly base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ingot-crash-'))
  readonly data = join(this.base, 'data')
  readonly #started: ServingProgram[] = []

  constructor(database?: TestDatabase, storage = '') {
    mkdirSync(this.data)
    const stored = storage === '' ? '' : `[repository]\nSTORAGE = ${storage}\n`
    writeFileSync(join(this.data, 'app.ini'), settings + stored + (database ? databaseSettings(database) : ''))
  }

  /** Starts the program, which `[Symbol.asyncDispose]` kills. */
  async start(): Promise<ServingProgram> {
    const program = await startProgram(this.data)
    this.#started.push(program)
    return program
  }

  /** Replaces a hook that git runs while it moves references, in the only repository; returns its path. */
  writeReferenceHook(script: string): string {
    const files = readdirSync(this.data, { recursive: true, encoding: 'utf8' })
    const receiveHook = files.find((path) => path.endsWith('hooks/post-receive')) as string
    const hook = join(this.data, dirname(receiveHook), 'reference-transaction')
    writeFileSync(hook, `#!/bin/sh\n${script}\nexit 0\n`, { mode: 0o755 })
    return hook
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((program) => program.kill()))
    rmSync(this.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Process ids of the program's git broker. */
const brokersOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** git processes of a broker at the moment, including readers. */
const gitsOf = (broker: number): number[] => {
  try {
    return brokersOf(broker)
  } catch {
    // The process has ended.
    return []
  }
}

/** Kills git processes one by one, like a machine out of memory. */
async function killGits(pid: number, isOver: () => boolean): Promise<number> {
  let killed = 0
  for (; !isOver(); await wait(10 + Math.random() * 40)) {
    const gits = brokersOf(pid).flatMap(gitsOf)
    const victim = gits[Math.floor(Math.random() * gits.length)]
    if (victim === undefined) continue
    try {
      process.kill(victim, 'SIGKILL')
      killed += 1
    } catch {
      // The process has ended.
    }
  }
  return killed
}

/** The values that one writer's references may have after a crash. */
class Ledger {
  readonly #values = new Map<string, Set<string>>()
  /** Number of acknowledged changes. */
  doneCount = 0

  attempt(ref: string, value: string): void {
    const values = this.#values.get(ref) ?? new Set([''])
    this.#values.set(ref, values.add(value))
  }

  /** Records an acknowledged change: older values are excluded. */
  done(ref: string, value: string): void {
    this.#values.set(ref, new Set([value]))
    this.doneCount += 1
  }

  check(ref: string, value: string): void {
    const allowed = this.#values.get(ref)
    assert.ok(allowed?.has(value), `${ref} is ${value || 'gone'} and may be ${[...(allowed ?? [])].join(' or ')}`)
    // Records the present value, from which the next crash starts.
    this.#values.set(ref, new Set([value]))
  }

  refs(): string[] {
    return [...this.#values.keys()]
  }
}

/** A writer runs until it is stopped or its server is gone. */
type Writer = (url: string, isOver: () => boolean) => Promise<void>

/** Pushes commits to branches and tags, several per push, and deletes some. */
function pusher(name: string, clone: string, ledger: Ledger): Writer {
  let count = 0
  const git = async (...args: string[]): Promise<void> => {
    const ended = await runProgram('git', ['-C', clone, ...args])
    assert.equal(ended.code, 0, ended.err)
  }
  return async (url, isOver) => {
    const remote = new URL(`${url}/root/crash.git`)
    Object.assign(remote, { username: 'root', password: rootPassword })
    while (!isOver()) {
      count += 1
      writeFileSync(join(clone, name), `${count}\n`)
      if (count === 1) await git('add', '.')
      await git('commit', '-q', '-a', '-m', `${name} ${count}`)
      const head = readFileSync(join(clone, '.git/refs/heads/main'), 'utf8').trim()
      const changes: [string, string][] = [[`refs/heads/${name}/a`, head]]
      if (count % 2 === 0) changes.push([`refs/tags/${name}-${count}`, head])
      if (count % 3 === 0) changes.push([`refs/heads/${name}/b`, head])
      if (count % 6 === 5 && ledger.refs().includes(`refs/heads/${name}/b`)) changes.push([`refs/heads/${name}/b`, ''])
      for (const [ref, value] of changes) ledger.attempt(ref, value)
      const specs = changes.map(([ref, value]) => `${value}:${ref}`)
      const pushed = await runProgram('git', ['-C', clone, 'push', '-q', '--force', remote.href, ...specs])
      if (pushed.code === 0) for (const [ref, value] of changes) ledger.done(ref, value)
    }
  }
}

/** Creates and deletes branches through the API. */
function apiWriter(ledger: Ledger, head: string): Writer {
  let count = 0
  return async (url, isOver) => {
    const client = clientOfRoot(url)
    while (!isOver()) {
      count += 1
      const name = `api-${count}`
      const ref = `refs/heads/${name}`
      ledger.attempt(ref, head)
      try {
        const made = await client.post('/repos/root/crash/branches', { new_branch_name: name, old_ref_name: head })
        if (made.status !== 201) continue
        ledger.done(ref, head)
        if (count % 2 === 0) continue
        ledger.attempt(ref, '')
        const gone = await client.delete(`/repos/root/crash/branches/${name}`)
        if (gone.status === 204) ledger.done(ref, '')
      } catch {
        // The program was killed during the answer; the next start shows the outcome.
        await wait(20)
      }
    }
  }
}

/** Commits through the API, opens pull requests and merges them. */
function merger(ledger: Ledger, acknowledged: Acknowledged): Writer {
  let count = 0
  return async (url, isOver) => {
    const client = clientOfRoot(url)
    const api = '/repos/root/crash'
    while (!isOver()) {
      count += 1
      const branch = `edit-${count}`
      const content = base64(`${count}\n`)
      try {
        const made = await client.post(`${api}/contents/${branch}`, { branch: 'main', new_branch: branch, content })
        if (made.status !== 201) continue
        ledger.attempt(`refs/heads/${branch}`, made.json.commit.sha)
        ledger.done(`refs/heads/${branch}`, made.json.commit.sha)
        const pull = await client.post(`${api}/pulls`, { base: 'main', head: branch, title: branch })
        if (pull.status !== 201) continue
        acknowledged.pulls.add(pull.json.number)
        const merged = await client.post(`${api}/pulls/${pull.json.number}/merge`, { Do: 'merge' })
        if (merged.status === 200) acknowledged.merges.add(pull.json.number)
      } catch {
        // The next start shows the outcome.
        await wait(20)
      }
    }
  }
}

/** Writes issues, comments, uploads and revocations. */
function recorder(acknowledged: Acknowledged): Writer {
  let count = 0
  return async (url, isOver) => {
    const client = clientOfRoot(url)
    while (!isOver()) {
      count += 1
      try {
        await writeOnce(client, '/repos/root/crash', `record-${count}`, acknowledged)
      } catch {
        // The next start shows the outcome.
        await wait(20)
      }
    }
  }
}

/** Writes wiki pages repeatedly and records what each may say after a crash; empty: it does not exist. */
function wikiWriter(pages: Map<string, Set<string>>): Writer {
  let count = 0
  return async (url, isOver) => {
    const client = clientOfRoot(url)
    while (!isOver()) {
      count += 1
      const title = `Page ${count % 5}`
      const content = Buffer.from(`${count}`).toString('base64')
      // A change under way at the kill may be made or not; an acknowledged one must be made.
      pages.set(title, new Set(pages.get(title) ?? ['']).add(content))
      try {
        const done = await client.patch(`/repos/root/crash/wiki/page/Page-${count % 5}`, {
          title,
          content_base64: content,
        })
        if (done.status === 200) pages.set(title, new Set([content]))
      } catch {
        // The next start shows the outcome.
        await wait(20)
      }
    }
  }
}

/** Wiki pages with unexpected content, and wiki changes that were not announced exactly once. */
async function wrongWiki({ db, git }: Services, repo: RepoRow, pages: Map<string, Set<string>>): Promise<string[]> {
  const key = repo.wiki_git_key
  const head = key && (await git.readRef(key, 'refs/heads/main'))
  if (!key || !head) return [...pages.values()].every((allowed) => allowed.has('')) ? [] : ['the wiki is not there']
  const wrong: string[] = []
  for (const [title, allowed] of pages) {
    const entry = await git.findPath(key, head, `${title.replace(' ', '-')}.md`)
    const blob = entry && (await git.readBlob(key, entry.oid, { maxBytes: 100 }))
    const found = blob?.content?.toString('base64') ?? ''
    if (!allowed.has(found)) wrong.push(`${title} says ${found} and may say ${[...allowed].join(' or ')}`)
    pages.set(title, new Set([found]))
  }
  const events = await db.selectFrom('event').select('id').where('name', 'like', 'wiki.page%').execute()
  const commits = await git.countCommits(key, { from: [head] })
  if (events.length !== commits) wrong.push(`${commits} changes of the wiki made ${events.length} events`)
  return wrong
}

/** Pull requests whose rows and references disagree. */
async function wrongPulls({ db, git }: Services, repo: RepoRow): Promise<string[]> {
  const rows = await db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select(['issue.index', 'issue.is_closed', 'pull.is_merged', 'pull.head_branch'])
    .where('issue.repo_id', '=', repo.id)
    .execute()
  const main = await git.readRef(repo.git_key, 'refs/heads/main')
  const wrong: string[] = []
  for (const row of rows) {
    const pullHead = await git.readRef(repo.git_key, `refs/pull/${row.index}/head`)
    const branch = await git.readRef(repo.git_key, `refs/heads/${row.head_branch}`)
    // A merge may delete the branch.
    const head = branch ?? (row.is_merged ? pullHead : undefined)
    if (!main || !head || head !== pullHead) {
      wrong.push(`pull request ${row.index}: its head is ${pullHead} and its branch ${head}`)
      continue
    }
    const isIn = await git.isAncestor(repo.git_key, head, main)
    if (isIn !== row.is_merged) wrong.push(`pull request ${row.index}: merged ${row.is_merged}, in its base ${isIn}`)
    if (row.is_merged !== row.is_closed) {
      wrong.push(`pull request ${row.index}: merged ${row.is_merged}, closed ${row.is_closed}`)
    }
  }
  return wrong
}

/**
 * Runs due jobs, then those that failed while git was unavailable.
 * @returns jobs that still fail
 */
async function workAll({ workers, services: { db } }: App, clock: TestClock): Promise<string[]> {
  for (let time = 0; ; time++) {
    await workers.settle()
    const waiting = await listJobs(db, { state: 'waiting', limit: 1000 })
    if (waiting.length === 0) return []
    if (time === 3) return waiting.map((job) => `the job ${job.id} (${job.name}) fails: ${job.last_error}`)
    clock.advance(Math.max(...waiting.map((job) => job.run_at_ms)) - clock.nowMs() + 1)
  }
}

/**
 * Starts the application in this process, settles, runs all jobs, and returns what is wrong.
 * @param look looks at the running application, as `root`
 */
async function inspect(
  folder: string,
  {
    pages = new Map<string, Set<string>>(),
    acknowledged = new Acknowledged(),
    look = async () => {},
  }: {
    readonly pages?: Map<string, Set<string>>
    readonly acknowledged?: Acknowledged
    readonly look?: (root: ForgeClient) => Promise<void>
  } = {},
): Promise<{ refs: Map<string, string>; problems: string[]; mergedCount: number }> {
  const { config } = loadConfig({
    env: storageEnvironment(folder),
    cwd: folder,
    overrides: { dataFolder: folder, host: '127.0.0.1', port: 0, sshPort: 0 },
  })
  // What a copy has, and the storage lacks, is lost.
  if (config.packStorage) removeCopies(config.paths.repositories)
  const clock = new TestClock()
  await using app = await createApp({ config, clock, log: () => undefined })
  await app.listen()
  const { services } = app
  await app.workers.settle()
  // Job leases use the clock of the system.
  if (services.config.database.kind !== 'sqlite3') await wait(1500)
  await services.tasks.runNow('remove_git_leftovers')
  const problems = await workAll(app, clock)
  // A git repository without a row is empty, and the doctor removes it.
  await examined(services, { fix: true, only: ['orphans'] })
  problems.push(...(await examined(services)))
  const repo = await services.db.selectFrom('repo').selectAll().where('name', '=', 'crash').executeTakeFirstOrThrow()
  const refs = new Map((await services.git.readRefs(repo.git_key)).map(({ name, oid }) => [name, String(oid)]))
  if (repo.is_empty !== (refs.size === 0)) {
    problems.push(`the repository says that it is ${repo.is_empty ? '' : 'not '}empty`)
  }
  const fsck = await services.git.fsck(repo.git_key)
  const merged = await services.db.selectFrom('pull').select('id').where('is_merged', '=', true).execute()
  const mergedCount = merged.length
  await look(clientOfRoot(services.config.server.rootUrl.replace(/\/$/, '')))
  return {
    refs,
    mergedCount,
    problems: [
      ...problems,
      ...(fsck.ok ? [] : fsck.problems),
      ...(await wrongPulls(services, repo)),
      ...(await wrongWiki(services, repo, pages)),
      ...(await acknowledged.missing(services, repo)),
    ],
  }
}

for (const [where, storage] of [
  ['', 'local'],
  ['with packs in a storage, ', 'blobs'],
] as const) {
  test(
    `crash: ${where}acknowledged changes survive kills of the program, its broker or git at any moment, and all data agree`,
    { timeout: 60_000 + rounds * 20_000 },
    async (t) => {
      await using database = await openTestDatabase({ isEmpty: true })
      await using folder = new ProgramFolder(database, storage)
      const first = await folder.start()
      const { root } = first
      await root.must('POST', '/user/repos', { name: 'crash', auto_init: true, default_branch: 'main' })
      const { json: main } = await root.must('GET', '/repos/root/crash/branches/main')
      const ledgers: Ledger[] = []
      const writers: Writer[] = []
      for (const name of ['one', 'two']) {
        const clone = join(folder.base, name)
        const cloned = await runProgram('git', ['clone', '-q', `${first.url}/root/crash.git`, clone])
        assert.equal(cloned.code, 0, cloned.err)
        const ledger = new Ledger()
        ledgers.push(ledger)
        writers.push(pusher(name, clone, ledger))
      }
      const api = new Ledger()
      ledgers.push(api)
      const pages = new Map<string, Set<string>>()
      const acknowledged = new Acknowledged()
      writers.push(apiWriter(api, main.commit.id), merger(api, acknowledged), wikiWriter(pages), recorder(acknowledged))

      let merged = 0
      let killed = 0
      const doneCount = (): number => ledgers.reduce((sum, ledger) => sum + ledger.doneCount, 0)
      const isEnough = (): boolean =>
        acknowledged.merges.size > 0 && doneCount() > rounds && acknowledged.count > rounds
      for (let round = 0; round < rounds; round++) {
        const running = round === 0 ? first : await folder.start()
        let isOver = false
        const work = Promise.all(writers.map((write) => write(running.url, () => isOver)))
        const { pid } = running
        // A round ends by its changes, and not by its time, so that it makes as many on a busy machine.
        const changes = leastChanges + Math.random() * (mostChanges - leastChanges)
        const aim = doneCount() + acknowledged.count + changes
        const isLast = round === rounds - 1
        const isFull = (): boolean => doneCount() + acknowledged.count >= aim && (!isLast || isEnough())
        if (round % 3 === 1) killed += await killGits(pid, isFull)
        else await until(isFull, 'the changes of a round')
        // The kill is not tied to an acknowledgement.
        await wait(Math.random() * 100)
        if (round % 3 === 2) {
          const brokers = brokersOf(pid)
          assert.ok(brokers.length > 0)
          for (const broker of brokers) process.kill(broker, 'SIGKILL')
          await wait(200 + Math.random() * 400)
        }
        isOver = true
        await running.kill()
        await work
        const { refs, problems, mergedCount } = await inspect(folder.data, { pages, acknowledged })
        merged = mergedCount
        assert.deepEqual(problems, [], `after the crash of round ${round}`)
        for (const ledger of ledgers) for (const ref of ledger.refs()) ledger.check(ref, refs.get(ref) ?? '')
      }
      t.diagnostic(
        `${doneCount()} changes of references were done, ${merged} pull requests merged, ${acknowledged.count} other things ` +
          `acknowledged, ${killed} git processes killed`,
      )
      assert.ok(merged > 0 && isEnough(), `${doneCount()} changes of references and ${merged} merges were ever done`)
    },
  )
}

test('crash: a push that the program was killed in while it was copied to the disk is made once', async () => {
  const api = '/repos/root/crash'
  await using database = await openTestDatabase({ isEmpty: true })
  await using folder = new ProgramFolder(database)
  const running = await folder.start()
  const { root } = running
  await root.must('POST', '/user/repos', { name: 'crash', auto_init: true, default_branch: 'main' })
  // Several processes share a PostgreSQL database; one process owns an SQLite database, and its next start takes
  // over.
  const other = database.options.kind === 'postgres' ? await folder.start() : undefined
  const clone = join(folder.base, 'clone')
  const remote = new URL(`${running.url}/root/crash.git`)
  Object.assign(remote, { username: 'root', password: rootPassword })
  assert.equal((await runProgram('git', ['clone', '-q', remote.href, clone])).code, 0)
  const hook = folder.writeReferenceHook(
    `[ "$1" = committed ] && grep -q ' refs/heads/topic$' && kill -9 ${running.pid}`,
  )
  const pushed = await runProgram('git', ['-C', clone, 'push', '-q', 'origin', 'HEAD:refs/heads/topic'])
  assert.notEqual(pushed.code, 0)
  await running.ended
  rmSync(hook)

  const next = other ?? (await folder.start())
  const present = next.root
  // Nothing is settled: the first request gets an answer.
  const remoteList = await runProgram('git', ['ls-remote', `${next.url}/root/crash.git`, 'refs/heads/topic'])
  assert.match(remoteList.out, /^[0-9a-f]{40}\trefs\/heads\/topic\n$/)
  assert.equal((await present.get(`${api}/branches/topic`)).status, 200)
  const { json } = await present.must('GET', '/admin/events/log?name=refs.updated&limit=50')
  const listed = json.events.filter((event: object) => JSON.stringify(event).includes('refs/heads/topic'))
  assert.equal(listed.length, 1)
})

test('crash: a merge that the program was killed in while it was copied to the disk is made once', async () => {
  const api = '/repos/root/crash'
  await using folder = new ProgramFolder()
  const running = await folder.start()
  const { root } = running
  await root.must('POST', '/user/repos', { name: 'crash', auto_init: true, default_branch: 'main' })
  await root.must('POST', `${api}/issues`, { title: 'to be closed' })
  await root.must('POST', `${api}/contents/file`, { branch: 'main', new_branch: 'topic', content: '' })
  await root.must('POST', `${api}/pulls`, { base: 'main', head: 'topic', title: 'fixes #1' })
  const hook = folder.writeReferenceHook(
    `[ "$1" = committed ] && grep -q ' refs/heads/main$' && kill -9 ${running.pid}`,
  )
  await assert.rejects(root.post(`${api}/pulls/2/merge`, { Do: 'merge' }))
  await running.ended
  rmSync(hook)

  const { problems, mergedCount } = await inspect(folder.data, {
    async look(again) {
      const pull = await again.must('GET', `${api}/pulls/2`)
      const main = await again.must('GET', `${api}/branches/main`)
      assert.deepEqual([pull.json.merged, pull.json.merge_commit_sha], [true, main.json.commit.id])
      assert.equal((await again.must('GET', `${api}/issues/1`)).json.state, 'closed')
      const entries = async (index: number): Promise<string[]> =>
        (await again.must('GET', `${api}/issues/${index}/timeline`)).json.map(({ type }: { type: string }) => type)
      assert.equal((await entries(1)).filter((type) => type === 'close').length, 1)
      assert.equal((await entries(2)).filter((type) => type === 'merge_pull').length, 1)
      assert.equal((await again.post(`${api}/pulls/2/merge`, { Do: 'squash' })).status, 405)
    },
  })
  assert.deepEqual([problems, mergedCount], [[], 1])
})

for (const [step, exitCode] of [
  ['prepared', 1],
  ['committed', 0],
] as const) {
  test(`crash: a kill when git has ${step} the copy of the deletion of a merged head keeps the deletion and the move of its children`, async () => {
    const api = '/repos/root/crash'
    await using folder = new ProgramFolder()
    const running = await folder.start()
    const { root } = running
    await root.must('POST', '/user/repos', { name: 'crash', auto_init: true, default_branch: 'main' })
    await root.must('POST', `${api}/contents/one`, { branch: 'main', new_branch: 'parent', content: '' })
    await root.must('POST', `${api}/contents/two`, { branch: 'parent', new_branch: 'child', content: '' })
    await root.must('POST', `${api}/pulls`, { base: 'main', head: 'parent', title: 'parent' })
    await root.must('POST', `${api}/pulls`, { base: 'parent', head: 'child', title: 'child' })
    const hook = folder.writeReferenceHook(
      `if [ "$1" = ${step} ] && grep -q ' refs/heads/parent$'; then kill -9 ${running.pid}; exit ${exitCode}; fi`,
    )
    await assert.rejects(root.post(`${api}/pulls/1/merge`, { Do: 'merge', delete_branch_after_merge: true }))
    await running.ended
    rmSync(hook)

    const { problems } = await inspect(folder.data, {
      async look(again) {
        assert.equal((await again.must('GET', `${api}/pulls/1`)).json.merged, true)
        assert.equal((await again.get(`${api}/branches/parent`)).status, 404)
        assert.equal((await again.get(`${api}/git/refs/heads/parent`)).status, 404)
        const child = (await again.must('GET', `${api}/pulls/2`)).json
        assert.deepEqual([child.state, child.base.ref], ['open', 'main'])
        const count = async (index: number, wanted: string): Promise<number> =>
          (await again.must('GET', `${api}/issues/${index}/timeline`)).json.filter(
            ({ type }: { type: string }) => type === wanted,
          ).length
        assert.deepEqual([await count(1, 'delete_branch'), await count(2, 'change_target_branch')], [1, 1])
      },
    })
    assert.deepEqual(problems, [])
  })
}
