import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, runsOf, TestRunner, workflow } from '../actions.test-support.ts'
import { readLog } from './log.service.ts'
import { insertChunks } from './log.store.ts'

async function begin(forge: Forge, jobs?: string) {
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push', jobs) })
  const task = await runner.must()
  const [run] = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  const [job] = (await forge.as('alice').get(`${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs
  return { repo, runner, task, run, job, page: `/${repo.api.slice(7)}/actions/runs/1/jobs/0/logs` }
}

const acked = (reply: { readonly json: unknown }) => (reply.json as { ackIndex?: string }).ackIndex

test('runnerUpdateLog: known lines are skipped, lines after a gap are dropped, and an ended log accepts none', async () => {
  await using forge = await startForge()
  const { runner, task } = await begin(forge)
  assert.equal(acked(await runner.log(task, 0, [])), undefined)
  assert.equal(acked(await runner.log(task, 0, ['a', 'b'])), '2')
  assert.equal(acked(await runner.log(task, 1, ['b', 'c'])), '3')
  assert.equal(acked(await runner.log(task, 0, ['a'])), '3')
  assert.equal(acked(await runner.log(task, 9, ['x'])), '3')
  assert.equal(acked(await runner.log(task, 9, ['x'], true)), '3', 'a gap does not end it')
  assert.equal(acked(await runner.log(task, 3, ['d'], true)), '4')
  assert.equal((await runner.log(task, 4, ['e'])).status, 409)
})

test('runnerUpdateLog: after an end mark without lines the log stays open until the task ends', async () => {
  await using forge = await startForge()
  const { repo, runner, task, page } = await begin(forge)
  const stateOf = async () =>
    (await forge.services.db.selectFrom('action_task').select('log_state').executeTakeFirstOrThrow()).log_state
  assert.equal(acked(await runner.log(task, 0, ['a'])), '1')
  assert.equal(acked(await runner.log(task, 1, [], true)), '1')
  assert.equal(acked(await runner.log(task, 1, ['b'])), '2')
  assert.equal(acked(await runner.log(task, 0, ['a', 'b'], true)), '2', 'known lines do not end the log')
  await forge.settle()
  assert.equal(await stateOf(), 'closing')
  await runner.finish(task)
  await forge.settle()
  assert.equal(await stateOf(), 'stored')
  assert.equal((await runner.log(task, 2, ['c'])).status, 409)
  const text = await (await fetch(`${forge.url}${page}`)).text()
  assert.deepEqual(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(29)),
    ['a', 'b'],
  )
  // An unknown position shows the log of the first job.
  const [run] = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  const base = `${forge.url}/${repo.fullName}/actions/runs`
  assert.equal(await (await fetch(`${base}/${run.run_number}/jobs/99/logs`)).text(), text)
  assert.equal((await fetch(`${base}/99/jobs/0/logs`)).status, 404)
})

test('runnerUpdateLog: a large report is stored in chunks, so that a reader holds little of the log', async () => {
  await using forge = await startForge()
  const { runner, task } = await begin(forge)
  const lines = Array.from({ length: 40 }, (_, index) => `${index} ${'y'.repeat(40_000)}`)
  assert.equal(acked(await runner.log(task, 0, lines)), '40')
  const chunks = await forge.services.db
    .selectFrom('action_log_chunk')
    .select(['first_line', 'line_count', 'data'])
    .orderBy('first_line')
    .execute()
  let next = 0
  for (const { first_line, line_count, data } of chunks) {
    assert.equal(first_line, next)
    assert.equal(data.split('\n').length - 1, line_count)
    assert.ok(data.length < 300 * 1024, `${data.length} bytes`)
    next += line_count
  }
  assert.equal(next, 40)
})

test('downloadJobLog, downloadWorkflowJobLog, listWorkflowJobLogLines: a growing log and a stored log read the same', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const { repo, runner, task, job, page } = await begin(forge)
  const long = 'x'.repeat(70_000)
  const texts = [
    'first',
    'two\nlines',
    long,
    ...Array.from({ length: 20 }, (_, index) => `${index} ${'y'.repeat(40_000)}`),
  ]
  const moment = '2024-05-01T10:00:00.2500000Z'
  const want = texts.map((text) => `${moment} ${text.replaceAll('\n', '\\n').slice(0, 65_536)}\n`).join('')
  await runner.log(task, 0, texts.slice(0, 3))
  await runner.log(task, 3, texts.slice(3))
  const alice = forge.as('alice')
  const api = `${repo.api}/actions/jobs/${job.id}/logs`
  const look = async () => {
    const shown = await fetch(`${forge.url}${page}`)
    const lines = (await alice.get(`${api}/lines?from=1&limit=3`)).json
    const rest = (await alice.get(`${api}/lines?from=21`)).json
    return {
      page: (await shown.text()) === want,
      type: shown.headers.get('content-type'),
      name: shown.headers.get('content-disposition')?.split(';')[1],
      api: (await alice.get(api)).text === want,
      lines: lines.lines.map(({ index }: { index: number }) => index),
      next: lines.next,
      rest: rest.lines.map(({ index }: { index: number }) => index),
    }
  }
  const growing = await look()
  assert.deepEqual(growing, {
    page: true,
    type: 'text/plain; charset=utf-8',
    name: ` filename="a-build-${task.id}.log"`,
    api: true,
    lines: [1, 2, 3],
    next: 4,
    rest: [21, 22],
  })
  assert.equal((await alice.get(`${api}/lines?from=21`)).json.is_whole, false)
  await runner.log(task, texts.length, [], true)
  await runner.finish(task)
  await forge.settle()
  const { db, blobs } = forge.services
  const row = await db.selectFrom('action_task').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.log_state, 'stored')
  assert.ok(((await blobs.actionsLog.stat(row.log_key))?.sizeBytes ?? 0) < want.length / 20, 'the log is compressed')
  assert.equal((await db.selectFrom('action_log_chunk').selectAll().execute()).length, 0)
  assert.deepEqual(await look(), growing)
  assert.equal((await alice.get(`${api}/lines?from=21`)).json.is_whole, true)
  assert.equal((await alice.get(`${api}/lines?from=9999`)).json.lines.length, 0)
  await alice.must('PATCH', repo.api, { private: true })
  assert.equal((await fetch(`${forge.url}${page}`)).status, 404)
  assert.equal((await forge.as('bob').get(api)).status, 404)
})

test('runnerUpdateLog: lines beyond MAX_ACTIONS_LOG are acknowledged and dropped', async () => {
  await using forge = await startForge({ settings: { ingot: { MAX_ACTIONS_LOG: '1 KiB' } } })
  const { runner, task, page } = await begin(forge)
  for (let at = 0; at < 10; at++) assert.equal(acked(await runner.log(task, at, ['z'.repeat(500)])), String(at + 1))
  assert.equal((await (await fetch(`${forge.url}${page}`)).text()).split('\n').length, 3)
})

test('streamWorkflowJobLog: it streams new lines until the log ends', async () => {
  await using forge = await startForge()
  const { repo, runner, task, job } = await begin(forge)
  await runner.log(task, 0, ['one'])
  const { token } = await forge.account('alice')
  const response = await fetch(`${forge.url}/api/v1${repo.api}/actions/jobs/${job.id}/logs/stream`, {
    headers: { authorization: `token ${token}` },
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (part: string) => {
    while (!text.includes(part)) text += (await reader?.read())?.value ?? assert.fail(`the stream ended before ${part}`)
  }
  await until('Z one')
  await runner.log(task, 1, ['two'], true)
  await until('Z two')
  await runner.finish(task)
  await until('event: end')
})

test('cancelWorkflowRun, rerunWorkflowRun, rerunFailedWorkflowJobs, rerunWorkflowJob, deleteActionRun, listWorkflowRunJobs, getWorkflowJob', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const { repo, runner, task, run, job } = await begin(
    forge,
    'one: { runs-on: ubuntu-latest, steps: [{ run: x }] }\n  two: { runs-on: ubuntu-latest, needs: one, steps: [{ run: x }] }',
  )
  const alice = forge.as('alice')
  const runApi = `${repo.api}/actions/runs/${run.id}`
  const states = async () =>
    (await alice.get(`${runApi}/jobs`)).json.jobs.map(
      (each: { name: string; status: string; run_attempt: number }) =>
        `${each.name} ${each.status} ${each.run_attempt}`,
    )
  assert.equal((await forge.as('bob').post(`${runApi}/cancel`)).status, 403)
  assert.equal((await forge.guest.post(`${runApi}/cancel`)).status, 401)
  assert.equal((await alice.post(`${runApi}/rerun`)).status, 409, 'it has not ended')
  assert.equal((await alice.delete(runApi)).status, 409)
  assert.equal((await alice.post(`${runApi}/cancel`)).status, 202)
  assert.deepEqual(await states(), ['one cancelled 1', 'two cancelled 0'])
  assert.equal((await alice.post(`${runApi}/rerun-failed-jobs`)).status, 202)
  assert.deepEqual(await states(), ['one waiting 1', 'two blocked 0'])
  const again = await runner.must()
  assert.equal(again.context['run_attempt'], '2')
  await runner.finish(again)
  await runner.finish(await runner.must(), 'FAILURE')
  assert.deepEqual(await runsOf(forge, repo.api), ['push a.yml main failure'])
  const [, two] = (await alice.get(`${runApi}/jobs`)).json.jobs
  assert.equal((await alice.post(`${repo.api}/actions/jobs/${two.id}/rerun`)).status, 202)
  assert.deepEqual(await states(), ['one success 2', 'two waiting 1'])
  await runner.finish(await runner.must())
  assert.deepEqual(await runsOf(forge, repo.api), ['push a.yml main success'])
  assert.equal((await alice.post(`${runApi}/rerun`)).status, 202)
  assert.deepEqual(await states(), ['one waiting 2', 'two blocked 2'])
  const shown = (await alice.get(`${repo.api}/actions/jobs/${job.id}`)).json
  assert.deepEqual([shown.name, shown.labels, shown.steps], ['one', ['ubuntu-latest'], []])
  const other = await forge.given.repo()
  assert.equal((await alice.get(`${other.api}/actions/jobs/${job.id}`)).status, 404)
  await alice.post(`${runApi}/cancel`)
  await runner.log(task, 0, ['x'], true)
  await forge.settle()
  const { log_key: key } = await forge.services.db
    .selectFrom('action_task')
    .select('log_key')
    .where('log_key', '<>', '')
    .executeTakeFirstOrThrow()
  assert.match(key, /^\d+\/\d+-[0-9a-f]{16}\.log$/, 'an id that another task gets after a return to an earlier state')
  assert.equal((await alice.delete(runApi)).status, 204)
  await forge.settle()
  assert.equal(await forge.services.blobs.actionsLog.stat(key), undefined)
  assert.deepEqual((await alice.get(`${repo.api}/actions/runs`)).json, { workflow_runs: [], total_count: 0 })
  await commitFiles(forge, repo.api, { b: '1' })
  assert.equal(
    (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs[0].run_number,
    2,
    'a number is not used again',
  )
})

test('approveWorkflowRun: later runs of an approved author need no approval', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/p.yml': workflow('pull_request') })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await forge.as('alice').must('PUT', `${repo.api}/actions/secrets/DEEP`, { data: 'x' })
  const bob = forge.as('bob')
  const fork = (await bob.must('POST', `${repo.api}/forks`, { name: 'mine' })).json
  await commitFiles(forge, `/repos/${fork.full_name}`, { b: '1' }, { newBranch: 'topic', as: 'bob' })
  await bob.must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'x' })
  await forge.settle()
  const [run] = (await bob.get(`${repo.api}/actions/runs`)).json.workflow_runs
  assert.equal(await runner.fetch(), undefined)
  const approve = `${repo.api}/actions/runs/${run.id}/approve`
  assert.equal((await bob.post(approve)).status, 403)
  assert.equal((await forge.as('alice').post(approve)).status, 202)
  const task = await runner.must()
  assert.equal(task.secrets['DEEP'], undefined)
  const asJob = forge.as('job', { token: task.context.token })
  assert.equal((await asJob.post(`${repo.api}/labels`, { name: 'x', color: '#112233' })).status, 403)
  await commitFiles(forge, `/repos/${fork.full_name}`, { c: '1' }, { branch: 'topic', as: 'bob' })
  await forge.settle()
  assert.ok(await runner.fetch(), 'the next run starts without approval')
})

test('jobs of silent runners, endless jobs, and jobs that no runner takes are ended', async () => {
  await using forge = await startForge()
  const { repo, runner, task } = await begin(forge)
  const run = async (name: string) => {
    await forge.as('root').must('POST', `/admin/cron/${name}`)
    await forge.settle()
  }
  forge.clock.advance(9 * 60_000)
  await run('stop_zombie_tasks')
  assert.deepEqual(await runsOf(forge, repo.api), ['push a.yml main running'])
  await runner.call('UpdateTask', { state: { id: task.id } })
  forge.clock.advance(9 * 60_000)
  await run('stop_zombie_tasks')
  assert.deepEqual(await runsOf(forge, repo.api), ['push a.yml main running'], 'the runner reported')
  forge.clock.advance(2 * 60_000)
  await run('stop_zombie_tasks')
  assert.deepEqual(await runsOf(forge, repo.api), ['push a.yml main failure'])
  await commitFiles(forge, repo.api, { b: '1' })
  const endless = await runner.must()
  for (let minutes = 0; minutes <= 180; minutes += 9) {
    await runner.call('UpdateTask', { state: { id: endless.id } })
    forge.clock.advance(9 * 60_000)
  }
  await run('stop_endless_tasks')
  assert.deepEqual((await runsOf(forge, repo.api))[1], 'push a.yml main failure')
  await commitFiles(forge, repo.api, { c: '1' })
  forge.clock.advance(25 * 3_600_000)
  await run('cancel_abandoned_jobs')
  assert.deepEqual((await runsOf(forge, repo.api))[2], 'push a.yml main cancelled')
  await run('cleanup_actions')
  const states = await forge.services.db.selectFrom('action_task').select('log_state').execute()
  assert.deepEqual(new Set(states.map(({ log_state }) => log_state)), new Set(['stored']))
  forge.clock.advance(366 * 86_400_000)
  await run('cleanup_actions')
  const later = await forge.services.db.selectFrom('action_task').select('log_state').execute()
  assert.deepEqual(new Set(later.map(({ log_state }) => log_state)), new Set(['expired']))
})

test('runnerUpdateLog: secrets are masked, also encoded, and split over lines and reports', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/DEEP`, { data: 'first-half\nsecond-half' })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  await alice.must('PUT', `${repo.api}/actions/secrets/DEEP`, { data: 'another-one' })
  const encoded = Buffer.from('user:first-half\nsecond-half').toString('base64')
  const { token } = task.context
  assert.equal(acked(await runner.log(task, 0, ['a first-half b', encoded, encodeURIComponent(token)])), '3')
  assert.equal(acked(await runner.log(task, 3, ['::add-mask::made-by-the-job', 'made-by-the-job', 'made-by'])), '5')
  const split = ['made-by', '-the-job', `x ${token.slice(0, 20)}`]
  assert.equal(acked(await runner.log(task, 5, split)), '7', 'the last line may be the beginning of a secret')
  assert.equal(acked(await runner.log(task, 7, [`x ${token.slice(0, 20)}`, token.slice(20), 'end'])), '10')
  assert.equal(acked(await runner.log(task, 10, ['made-by'], true)), '11', 'the end of the log is accepted')
  const [run] = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  const [job] = (await alice.get(`${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs
  const read = async () =>
    (await alice.get(`${repo.api}/actions/jobs/${job.id}/logs`)).text
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(29))
  const lines = await read()
  assert.deepEqual(
    [lines[0], lines[2], ...lines.slice(3)],
    ['a *** b', '***', '::add-mask::***', '***', '***', '***', 'x ***', '***', 'end', 'made-by'],
  )
  assert.match(lines[1] ?? '', /^.{4,8}\*\*\*.{0,4}$/)
  const stored = await forge.services.db.selectFrom('action_task').select('masks').executeTakeFirstOrThrow()
  assert.equal(stored.masks.includes(token), false)
  await forge.settle()
  assert.deepEqual(await read(), lines)
  const masksNow = async () =>
    (await forge.services.db.selectFrom('action_task').select('masks').executeTakeFirstOrThrow()).masks
  assert.notEqual(await masksNow(), '', 'the report of the end may contain secrets')
  await runner.finish(task)
  assert.equal(await masksNow(), '', 'the masks of a stored log of an ended task are deleted')
})

test('readLog: a reader neither misses nor repeats a line when the log is stored meanwhile', async () => {
  await using forge = await startForge()
  const { task, runner } = await begin(forge)
  const chunks = [['one', 'two'], ['three'], ['four', 'five']]
  let next = 0
  for (const chunk of chunks) {
    next += chunk.length
    assert.equal(acked(await runner.log(task, next - chunk.length, chunk, next === 5)), String(next))
  }
  const { db } = forge.services
  const before = await db.selectFrom('action_task').selectAll().executeTakeFirstOrThrow()
  await forge.settle()
  const read = async (fromLine: number): Promise<string[]> => {
    const lines: string[] = []
    for await (const { firstLine, text } of readLog(forge.services, { ...before, log_state: 'ended' }, fromLine)) {
      for (const [at, line] of text.trimEnd().split('\n').entries()) lines.push(`${firstLine + at} ${line.slice(29)}`)
    }
    return lines
  }
  const all = ['0 one', '1 two', '2 three', '3 four', '4 five']
  assert.deepEqual(await read(0), all)
  assert.deepEqual(await read(3), all, 'the section that contains the line is the whole log')
  // The reader has read the first chunk.
  const blank = ' '.repeat(29)
  const chunk = { task_id: before.id, first_line: 0, line_count: 2, data: `${blank}one\n${blank}two\n` }
  await transaction(db, (tx) => insertChunks(tx, [chunk]))
  assert.deepEqual(await read(0), all)
})

test('downloadJobLog: the name of the file has the name of the workflow up to its first dot', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const jobs = 'b:\n    name: build 1.2.3\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hello'
  const names = { 'release.v1.2.yml': 'release', 'a.yaml': 'a', '.hidden.yml': '.hidden', 'x.yml.yml': 'x' }
  const files = Object.keys(names).map((file) => [`.gitea/workflows/${file}`, workflow('push', jobs)])
  await commitFiles(forge, repo.api, Object.fromEntries(files))
  const runs = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  const shown: Record<string, string | undefined> = {}
  for (const _ of files) {
    const task = await runner.must()
    await runner.log(task, 0, ['a'])
    await runner.finish(task)
    await forge.settle()
    const number = Number(task.context['run_number'])
    const file = runs.find((run: { run_number: number }) => run.run_number === number)?.workflow_id
    const reply = await fetch(`${forge.url}/${repo.fullName}/actions/runs/${number}/jobs/0/logs`)
    const [, name] = /filename="([^"]*)"/.exec(reply.headers.get('content-disposition') ?? '') ?? []
    shown[file] = name?.replace(`-build 1.2.3-${task.id}.log`, '')
  }
  assert.deepEqual(shown, names)
})
