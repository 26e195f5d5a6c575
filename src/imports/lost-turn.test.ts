import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverWork } from '../access/server-work.ts'
import type { JobRun } from '../jobs/job.ts'
import type { ImportId } from '../lib/ids.ts'
import type { Forge } from '../testing/forge.ts'
import { withServer } from '../testing/server.ts'
import { until } from '../testing/until.ts'
import { inFrontOf, openForge } from './imports.test-support.ts'
import { runImport } from './run-import.service.ts'

/** Creates a repository with three issues, each with a comment. */
async function commentedRepo(source: Forge): Promise<string> {
  const repo = await source.given.repo()
  for (const title of ['one', 'two', 'three']) {
    const issue = await source.given.issue({ repo, title })
    await source.as('bob').must('POST', `${issue.api}/comments`, { body: `about ${title}` })
  }
  return repo.fullName
}

async function beginImport(forge: Forge, url: string, fullName: string): Promise<ImportId> {
  const wanted = {
    clone_addr: `${url}/${fullName}.git`,
    service: 'gitea',
    repo_name: 'copy',
    issues: true,
    labels: true,
  }
  const begun = await forge.as('carol').post('/repos/migrate', wanted, { headers: { prefer: 'respond-async' } })
  assert.equal(begun.status, 202, begun.text)
  return begun.json.id
}

const turnOf = (forge: Forge, more: Partial<JobRun> = {}): JobRun => ({
  db: forge.services.db,
  signal: new AbortController().signal,
  attempt: 1,
  isLastAttempt: false,
  progress: () => {},
  ...more,
})

async function checkCopy(forge: Forge, id: ImportId): Promise<void> {
  const { state, counts } = (await forge.as('carol').must('GET', `/user/imports/${id}`)).json
  assert.deepEqual([state, counts.issues, counts.comments], ['done', 3, 3])
  const issues = (await forge.as('carol').must('GET', '/repos/carol/copy/issues?state=all')).json
  assert.deepEqual(
    issues.map((issue: { number: number; comments: number }) => [issue.number, issue.comments]),
    [
      [3, 1],
      [2, 1],
      [1, 1],
    ],
  )
}

async function positionOf(forge: Forge, id: ImportId): Promise<string> {
  const { db } = forge.services
  const row = await db.selectFrom('repo_import').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return `${row.state} ${row.step}`
}

test('repoMigrate: a turn that another one has overtaken writes nothing', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  await forge.account('carol')
  const fullName = await commentedRepo(source)
  // The first request for the comments, and then the first one for the description.
  const stops = [/issues.comments\?/, /^\/api\/v1\/repos\/[^/]+\/[^/]+$/]
  const held: (() => void)[] = []
  const listener = inFrontOf(source, (request, response) => {
    if (!stops[held.length]?.test(request.url ?? '')) return false
    held.push(() => inFrontOf(source, () => false)(request, response))
    return true
  })
  await withServer(listener, async (url) => {
    const id = await beginImport(forge, url, fullName)
    await until(() => held.length === 1, 'the first turn stands still')
    const other = runImport(serverWork(forge.services), id, turnOf(forge))
    await until(() => held.length === 2, 'the other turn has written the comments')
    held[0]?.()
    await until(async () => (await positionOf(forge, id)) !== 'running finish', 'the first turn has gone on')
    held[1]?.()
    await other
    await forge.settle()
    await checkCopy(forge, id)
  })
})

test('repoMigrate: an import that stops between two steps imports nothing twice', async () => {
  await using source = await openForge()
  await using forge = await openForge()
  await forge.account('carol')
  const fullName = await commentedRepo(source)
  const held: (() => void)[] = []
  let isOpen = false
  const listener = inFrontOf(source, (request, response) => {
    if (isOpen || !/issues.comments\?/.test(request.url ?? '')) return false
    held.push(() => inFrontOf(source, () => false)(request, response))
    return true
  })
  await withServer(listener, async (url) => {
    const id = await beginImport(forge, url, fullName)
    await until(() => held.length === 1, 'the turn of the job stands still')
    isOpen = true
    const stop = new AbortController()
    let pages = 0
    // The list ends with an empty page.
    const progress: JobRun['progress'] = ({ done, note }) => {
      if (note === 'comments' && done === 3 && ++pages === 2) stop.abort(new Error('the process ends'))
    }
    await assert.rejects(runImport(serverWork(forge.services), id, turnOf(forge, { signal: stop.signal, progress })))
    held[0]?.()
    await forge.settle()
    await checkCopy(forge, id)
  })
})
