import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow } from '../../actions/actions.test-support.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { shownLine } from './log-text.rules.ts'
import { graphOf, matrixNames } from './run-graph.rules.ts'

async function given(forge: Forge, more: object = {}) {
  const repo = await forge.given.repo({ owner: 'alice', ...more })
  await commitFiles(forge, repo.api, { '.forgejo/workflows/tests.yml': workflow('push') })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  return { repo, runner, at: `/${repo.fullName}/actions/runs/1/jobs/0` }
}

test('jobPage, jobSectionPage: show the log of a step with colours, groups and links, and nothing of it runs', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { at, runner } = await given(forge, { private: true })
  assert.equal((await (await Browser.of(forge, 'bob')).get(at)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(at)).text, /Waiting for a runner/)
  assert.match((await alice.get(at.replace('/jobs/0', ''))).text, /A job waits for a free runner/)
  const task = await runner.must()
  await runner.log(
    task,
    0,
    ['set up', '::group::<Tools>', 'in', '::endgroup::', '\u001B[31mred\u001B[0m <script>alert(1)</script>'],
    true,
  )
  const steps = [
    { id: '0', logIndex: '1', logLength: '4', result: 'RESULT_FAILURE', startedAt: '2024-05-01T10:00:00Z' },
  ]
  await runner.call('UpdateTask', { state: { id: task.id, result: 'RESULT_FAILURE', steps } })
  const { status, text } = await alice.get(at)
  assert.equal(status, 200)
  assert.match(text, /Run echo hello/)
  assert.match(text, /<span class="ansi-1">red<\/span> &lt;script/)
  assert.match(text, /<details class="log-group">.*&lt;Tools/s)
  assert.match(text, /id="L5"/)
  assert.ok(!text.includes('id="L1"'), 'the section before the step is loaded when it is opened')
  assert.match((await alice.get(`${at}/steps/0`)).text, /<turbo-frame id="frame-0">.*set up/s)
  assert.equal((await alice.get(`${at}/steps/9`)).status, 404)
  const found = (await alice.get(`${at}?q=RED`)).text
  assert.match(found, /1 line contain/)
  assert.match(found, /<mark>red<\/mark>/)
  assert.ok(!(await alice.get(`${at}?q=<script>`)).text.includes('<script>alert'))
  assert.equal((await alice.get(`${at}/logs`)).status, 200)
})

test('followRun: the stream asks for a new page when a job changes, and is hidden from strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, runner } = await given(forge, { private: true })
  const path = `/${repo.fullName}/actions/runs/1/live`
  assert.equal((await (await Browser.of(forge, 'bob')).get(path)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  const followed = alice.get(path)
  await runner.finish(await runner.must())
  const refresh = /data: <turbo-stream action="refresh"><\/turbo-stream>/
  assert.match((await followed).text, refresh)
  // What happened between the page and the stream counts; the end of a run that is seen does not.
  assert.match((await alice.get(`${path}?seen=earlier`)).text, refresh)
  assert.doesNotMatch((await alice.get(path)).text, refresh)
})

test('followRun: lines of a log reach the readers of its run at once, each time', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { at, runner } = await given(forge)
  const task = await runner.must()
  const alice = await Browser.of(forge, 'alice')
  const [, live = ''] = /data-live="([^"]+)"/.exec((await alice.get(at)).text) ?? []
  const stop = new AbortController()
  // Without messages, a reader looks after 15 seconds.
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(12_000)])
  const reply = await fetch(forge.url + live, { headers: { cookie: alice.cookieHeader() }, signal })
  const chunks = (reply.body as ReadableStream<Uint8Array>).getReader()
  const refreshed = async (): Promise<void> => {
    let text = ''
    while (!text.includes('refresh')) {
      const { value, done } = await chunks.read()
      assert.equal(done, false)
      text += Buffer.from(value ?? []).toString()
    }
  }
  await runner.log(task, 0, ['one'])
  await refreshed()
  await runner.log(task, 1, ['two', 'three'])
  await refreshed()
  stop.abort()
})

test('a line of a log keeps its text and loses control sequences', () => {
  const parts = (text: string) => {
    const line = shownLine(`2024-05-01T10:00:00.2500000Z ${text}`)
    return 'parts' in line ? line.parts : line
  }
  assert.deepEqual(parts('a\u001B[1;38;5;196mb\u001B[0mc\u001B[2K\u001B]0;title\u0007'), [
    { text: 'a', classes: '' },
    { text: 'b', classes: 'ansi-9 ansi-bold' },
    { text: 'c', classes: '' },
  ])
  const error = shownLine('2024-05-01T10:00:00.2500000Z ::error file=a.ts,line=3::broken: yes')
  assert.deepEqual(
    [error.kind, error.time, 'parts' in error && error.parts[0]?.text],
    ['error', '10:00:00', 'broken: yes'],
  )
})

test('a graph puts each job after those that it needs, without detours', () => {
  const graph = graphOf([
    { key: 'a', needs: [] },
    { key: 'b', needs: ['a'] },
    { key: 'c', needs: ['a', 'b'] },
  ])
  assert.deepEqual(
    graph.nodes.map(({ column }) => column),
    [0, 1, 2],
  )
  assert.deepEqual(graph.edges, [
    [0, 1],
    [1, 2],
  ])
})

test('the jobs of a matrix are one node of a graph, named by what differs', () => {
  const graph = graphOf([
    { key: 'lint', needs: [] },
    { key: 'test', needs: ['lint'] },
    { key: 'test', needs: ['lint'] },
  ])
  assert.deepEqual(
    graph.nodes.map(({ key, jobs }) => [key, jobs]),
    [
      ['lint', [0]],
      ['test', [1, 2]],
    ],
  )
  assert.deepEqual(graph.edges, [[0, 1]])
  assert.deepEqual(matrixNames(['test (18, linux)', 'test (20, linux)']), {
    common: 'test',
    own: ['18, linux', '20, linux'],
  })
  assert.deepEqual(matrixNames(['build (18)', 'Check 20']), { common: '', own: ['build (18)', 'Check 20'] })
})
