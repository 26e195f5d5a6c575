import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, runsOf, TestRunner, workflow, type TestTask } from '../../actions/actions.test-support.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

const twoJobs = workflow(
  'push',
  'build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hello\n  check <x>:\n    runs-on: ubuntu-latest\n    needs: build\n    steps:\n      - run: echo',
).replace('check <x>:', 'check:\n    name: check <x>')

async function given(forge: Forge, more: object = {}) {
  const repo = await forge.given.repo({ owner: 'alice', ...more })
  await commitFiles(forge, repo.api, { '.forgejo/workflows/tests.yml': twoJobs })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const [{ url, id }] = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  return { repo, runner, at: url as string, runApi: `${repo.api}/actions/runs/${id}` }
}

/** Uploads an artifact as a job does. */
async function upload(forge: Forge, task: TestTask, name: string): Promise<void> {
  const call = async (method: string, body: object) => {
    const response = await fetch(`${forge.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${task.context.gitea_runtime_token}` },
      body: JSON.stringify({
        workflow_run_backend_id: String(task.context['run_id']),
        workflow_job_run_backend_id: '1',
        name,
        ...body,
      }),
    })
    assert.equal(response.status, 200, method)
    return (await response.json()) as { signedUploadUrl: string }
  }
  const { signedUploadUrl } = await call('CreateArtifact', { version: 4 })
  await fetch(`${signedUploadUrl}&comp=appendBlock`, { method: 'PUT', body: 'content' })
  await call('FinalizeArtifact', { size: '7' })
}

test('runPage: the url of a run leads to its jobs; a private one does not exist for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, repo } = await given(forge, { private: true })
  assert.equal((await (await Browser.of(forge, 'bob')).get(at)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  const { status, text } = await alice.get(at)
  assert.equal(status, 200)
  assert.match(text, /title="check &lt;x(>|&gt;): Blocked"/)
  assert.match(text, new RegExp(`href="/${repo.fullName}/actions/runs/1/jobs/1"`))
  assert.equal((await alice.get(`/${repo.fullName}/actions/runs/2`)).status, 404)
})

test('runPage: the jobs stand in stages, and each names the jobs that it needs', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { at } = await given(forge)
  const { text } = await (await Browser.of(forge, 'alice')).get(at)
  const stages = text.split('<li class="stage">').slice(1)
  assert.deepEqual(
    stages.map((stage) => [/Stage \d/.exec(stage)?.[0], />(after [^<]*)</.exec(stage)?.[1]]),
    [
      ['Stage 1', undefined],
      ['Stage 2', 'after build'],
    ],
  )
  assert.equal(text.match(/class="graph-edge"/g)?.length, 1)
})

test('changeRun, removeRun: writers cancel, rerun and delete a run; readers cannot', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, at, runApi, runner } = await given(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.ok(!(await bob.get(at)).text.includes(`${at}/cancel`))
  const form = { _csrf: await bob.csrf('/user/settings') }
  for (const verb of ['cancel', 'rerun', 'approve', 'delete']) {
    assert.equal((await bob.post(`${at}/${verb}`, form)).status, 403, verb)
  }
  assert.equal((await bob.post(`${at}/stop`, form)).status, 404)
  const statusOf = async () => (await forge.as('alice').get(runApi)).json.status
  assert.equal((await alice.submit(at, `${at}/cancel`)).status, 303)
  assert.equal(await statusOf(), 'cancelled')
  assert.equal((await alice.submit(at, `${at}/rerun-failed`)).status, 303)
  assert.equal(await statusOf(), 'waiting')
  const early = await alice.post(`${at}/delete`, { _csrf: await alice.csrf('/user/settings') })
  assert.equal(early.status, 409)
  assert.match(early.text, /has not ended/)
  await runner.finish(await runner.must())
  await runner.finish(await runner.must())
  assert.equal(await statusOf(), 'success')
  const gone = await alice.submit(at, `${at}/delete`)
  assert.equal(gone.headers.get('location'), `/${repo.fullName}/actions?workflow=tests.yml`)
  assert.deepEqual(await runsOf(forge, repo.api), [])
})

test('rerunJob: runs one job of an ended run again; readers cannot', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, runApi, runner } = await given(forge)
  await runner.finish(await runner.must())
  await runner.finish(await runner.must(), 'FAILURE')
  const path = `${at}/jobs/1/rerun`
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.post(path, { _csrf: await bob.csrf('/user/settings') })).status, 403)
  const alice = await Browser.of(forge, 'alice')
  const form = { _csrf: await alice.csrf('/user/settings') }
  assert.equal((await alice.post(`${at}/jobs/9/rerun`, form)).status, 404)
  assert.equal((await alice.post(path, form)).headers.get('location'), `${at}/jobs/1`)
  const { jobs } = (await forge.as('alice').get(`${runApi}/jobs`)).json
  assert.deepEqual(
    jobs.map((job: { status: string }) => job.status),
    ['success', 'waiting'],
  )
})

test('removeRunArtifact: an artifact is downloaded and deleted on the page of its run; readers cannot delete it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, runner } = await given(forge)
  const task = await runner.must()
  const name = 'my report'
  await upload(forge, task, name)
  const path = `${at}/artifacts/${encodeURIComponent(name)}`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.ok((await bob.get(at)).text.includes(`href="${path}"`))
  assert.equal((await bob.get(path)).status, 200)
  assert.equal((await bob.post(`${path}/delete`, { _csrf: await bob.csrf('/user/settings') })).status, 403)
  assert.equal((await alice.submit(at, `${path}/delete`)).status, 303)
  assert.equal((await alice.get(path)).status, 404)
  const again = await alice.post(`${path}/delete`, { _csrf: await alice.csrf('/user/settings') })
  assert.equal(again.status, 404)
})

test('runPage, jobPage: a waiting job says whether a runner has its labels and is online', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, repo } = await given(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.doesNotMatch((await bob.get(at)).text, /no runner/)
  forge.clock.advance(3_600_000)
  assert.match((await bob.get(at)).text, /no runner is online with the labels/)
  assert.match((await bob.get(`${at}/jobs/0`)).text, /when a runner with the labels ubuntu-latest is online again/)
  const { json: runners } = await forge.as('alice').get(`/api/service/v1${repo.api}/actions/runners`, { site: true })
  await forge
    .as('alice')
    .must('DELETE', `/api/service/v1${repo.api}/actions/runners/${runners[0].id}`, undefined, { site: true })
  const settings = `href="/${repo.fullName}/settings/actions/runners"`
  const [shown, seen] = [(await alice.get(at)).text, (await bob.get(at)).text]
  assert.match(seen, /no runner has the labels/)
  assert.deepEqual([shown.includes(settings), seen.includes(settings)], [true, false])
  assert.match((await bob.get(`${at}/jobs/0`)).text, /No runner for this job/)
})

test('runPage: an expired artifact keeps its name without a link', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { at, runner } = await given(forge)
  await upload(forge, await runner.must(), 'report')
  const alice = await Browser.of(forge, 'alice')
  assert.ok((await alice.get(at)).text.includes(`href="${at}/artifacts/report"`))
  forge.clock.advance(400 * 86_400_000)
  await forge.as('root').must('POST', '/admin/cron/cleanup_actions')
  await forge.settle()
  const root = await Browser.of(forge, 'root')
  const { text } = await root.get(at)
  assert.match(text, /Expired <relative-time/)
  assert.match(text, />report</)
  assert.ok(!text.includes(`${at}/artifacts/report`))
})

test('changeRun: a person with write access approves the run of a stranger', async () => {
  await using forge = await startForge({ users: ['alice', 'eve'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo.api, { '.forgejo/workflows/tests.yml': workflow('pull_request') })
  const eve = forge.as('eve')
  await eve.must('POST', `${repo.api}/forks`, {})
  await forge.settle()
  await commitFiles(forge, `/repos/eve/${repo.name}`, { 'evil.txt': 'x' }, { newBranch: 'evil', as: 'eve' })
  await eve.must('POST', `${repo.api}/pulls`, { title: 'evil', head: 'eve:evil', base: 'main' })
  await forge.settle()
  const at = `/${repo.fullName}/actions/runs/1`
  const [guest, alice] = [new Browser(forge), await Browser.of(forge, 'alice')]
  const shown = (await guest.get(at)).text
  assert.match(shown, /This run waits for an approval/)
  assert.ok(!shown.includes(`${at}/approve`))
  assert.ok(shown.includes(`href="/${repo.fullName}/pulls/1/files"`))
  assert.match((await guest.get(`${at}/jobs/0`)).text, /Waiting for an approval/)
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  assert.equal(await runner.fetch(), undefined)
  assert.equal((await alice.submit(at, `${at}/approve`)).status, 303)
  assert.ok(await runner.fetch())
})

test('runPage, jobPage, environmentsPage: annotations, summaries and environments are texts, and their links are safe', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const deploy = `deploy: { runs-on: ubuntu-latest, environment: { name: "a/<b>", url: "\${{ steps.x.outputs.url }}" }, concurrency: g, steps: [{ run: x }] }`
  await commitFiles(forge, repo.api, { '.forgejo/workflows/w.yml': workflow('[push, workflow_dispatch]', deploy) })
  await forge.as('alice').must('POST', `${repo.api}/actions/workflows/w.yml/dispatches`, { ref: 'main' })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const task = await runner.must()
  await runner.log(task, 0, [
    '::error file=src/<a>.ts,line=7,endLine=9,title=<i>T</i>::<img src=x>',
    '::warning file=/etc/passwd::w',
  ])
  await runner.call('UpdateTask', {
    state: { id: task.id },
    summaries: { '0': '## Report\n<script>alert(1)</script> <p id="run-head">x</p>' },
  })
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}/actions/runs/1`
  assert.match((await alice.get(`/${repo.fullName}/actions/runs/2/jobs/0`)).text, /Waiting for its concurrency group/)
  await runner.finish(task, 'FAILURE', { ingot_environment_url: 'javascript:alert(1)' })
  for (const path of [at, `${at}/jobs/0`]) {
    const { status, text } = await alice.get(path)
    assert.equal(status, 200)
    assert.match(text, /1 error, 1 warning/)
    assert.match(text, /href="[^"]*\/src\/commit\/[0-9a-f]{40}\/src\/%3Ca%3E\.ts#L7-L9"/)
    assert.match(text, /&lt;img src=x&gt;|&lt;img src=x>/)
    assert.match(text, /Report<\/h2>/)
    assert.doesNotMatch(text, /<img src=x|<script>alert|<i>T|href="[^"]*etc\/passwd|href="javascript/)
    assert.equal(text.match(/ id="run-head"/g)?.length, 1)
  }
  assert.match((await alice.get(`${at}/jobs/0`)).text, /environments\?name=a%2F%3Cb%3E/)
  const environments = `/${repo.fullName}/actions/environments`
  assert.match((await alice.get(environments)).text, /a\/&lt;b(?:&gt;|>).*2 deployments/s)
  const history = (await alice.get(`${environments}?name=${encodeURIComponent('a/<b>')}`)).text
  assert.match(history, /runs\/1\/jobs\/0/)
  assert.match(history, /runs\/2\/jobs\/0/)
  assert.doesNotMatch(history, /href="javascript/)
  assert.match((await alice.get(`${environments}?name=none`)).text, /No deployments yet/)
  assert.equal((await (await Browser.of(forge, 'bob')).get(environments)).status, 404)
})

const failing = (id: string, from: number, lines: number) => ({
  id,
  logIndex: String(from),
  logLength: String(lines),
  result: 'RESULT_FAILURE',
  startedAt: '2024-05-01T10:00:00Z',
})

test('runPage, jobPage: a failed run begins with the lines at which its steps failed, and a job opens there', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, runner } = await given(forge, { private: true })
  const task = await runner.must()
  const noise = Array.from({ length: 1500 }, (_, number) => `noise ${number + 1}`)
  const end = ['::group::Report', '', '::error file=a.ts,line=2::<b>broken</b>', '::endgroup::', 'bye']
  // Reports of runners have a limit, and so has a log in one message.
  await runner.log(task, 0, ['set up', ...noise.slice(0, 800)])
  await runner.log(task, 801, [...noise.slice(800), ...end], true)
  await runner.call('UpdateTask', {
    state: { id: task.id, result: 'RESULT_FAILURE', steps: [failing('0', 1, 1505)] },
  })
  await forge.settle()
  assert.equal((await (await Browser.of(forge, 'bob')).get(at)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get(at)
  const [, box = ''] = /<div class="box failures">([^]*?)<div class="run-graph"/.exec(text) ?? []
  assert.match(box, /A job failed[^]*build<span class="failed-step">Run echo hello</)
  const numbers = [...box.matchAll(/data-line="(\d+)"/g)].map(([, number]) => Number(number))
  assert.deepEqual(numbers, [...Array.from({ length: 11 }, (_, number) => 1491 + number), 1504, 1506])
  assert.match(box, new RegExp(`href="${at}/jobs/0\\?line=1504#L1504"`))
  assert.match(box, /is-error[^]*&lt;b(?:&gt;|>)broken/)
  const job = (await alice.get(`${at}/jobs/0`)).text
  assert.match(job, /data-first-line="L1504"[^]*<details class="log-group" open[^]*id="L1504"/)
  assert.match(job, /href="#L1504">To line 1504</)
  assert.equal(job.match(/<details class="log-section" id="[^"]*" open/g)?.length, 1)

  // Another line opens its section with what surrounds it.
  const early = (await alice.get(`${at}/jobs/0?line=2`)).text
  assert.match(early, /data-first-line="L2"[^]*id="L2"[^]*steps\/1\?before=1501[^>]*>1,005 later lines/)
  const first = (await alice.get(`${at}/jobs/0?line=1`)).text
  assert.match(first, /data-first-line="L1"[^]*id="L1"/)
  assert.equal((await alice.get(`${at}/jobs/0?line=99999`)).text.match(/data-first-line="L1504"/g)?.length, 1)
})

test('runPage: a job that failed outside of its steps, or without a log, says so', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { at, runner } = await given(forge)
  const task = await runner.must()
  await runner.log(task, 0, ['cannot fetch the action <x>'], true)
  await runner.finish(task, 'FAILURE')
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(at)).text, /class="box failures"[^]*cannot fetch the action &lt;x/)
  await alice.submit(at, '/rerun')
  await runner.finish(await runner.must(), 'FAILURE')
  assert.match((await alice.get(at)).text, /class="box failures"[^]*This job wrote no log/)
})

test('runPage: annotations have pages', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { at, runner } = await given(forge)
  const task = await runner.must()
  const notes = ['warning', 'notice'].flatMap((level) =>
    Array.from({ length: 40 }, (_, number) => `::${level} file=a.ts,line=${number + 1}::${level} ${number + 1}.`),
  )
  await runner.log(task, 0, notes, true)
  const alice = await Browser.of(forge, 'alice')
  const count = (text: string) => text.match(/class="row annotation"/g)?.length
  const first = (await alice.get(at)).text
  assert.deepEqual([count(first), first.includes(`href="${at}?page=2"`)], [50, true])
  const last = (await alice.get(`${at}?page=2`)).text
  assert.deepEqual([count(last), last.includes('notice 40.'), last.includes('warning 1.')], [30, true, false])
})
