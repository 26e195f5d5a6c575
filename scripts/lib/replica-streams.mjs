/**
 * Answers that stay open at one replica while another one changes what they show: events, pages that refresh, runners that
 * wait for a job, and the log of a job.
 */
import assert from 'node:assert/strict'
import { eventually, must } from './replica-client.mjs'
import { password } from './replica-world.mjs'

/** How long news may take to reach another replica on a busy machine, in milliseconds. */
const newsMs = 15_000
/** How long an answer may stay open whose credential was revoked: ten seconds, and a busy machine. */
const revokedMs = 15_000
/** How long a runner waits for a job, in milliseconds. */
const waitMs = 40_000

/** Opens a stream. `text()` returns what has come; `ended` resolves when the server ends it. */
async function openStream(url, headers) {
  const stop = new AbortController()
  const reply = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: stop.signal })
  assert.equal(reply.status, 200, `${url}: ${reply.status}`)
  let text = ''
  let isOpen = true
  const ended = (async () => {
    try {
      for await (const part of reply.body.pipeThrough(new TextDecoderStream())) text += part
    } catch (error) {
      if (!stop.signal.aborted) text += `\nthe stream broke: ${error.cause ?? error}`
    }
    isOpen = false
  })()
  return { text: () => text, isOpen: () => isOpen, ended, close: () => stop.abort() }
}

const workflow = `on: push
jobs:
  build:
    runs-on: here
    steps:
      - run: echo hello
`

export async function playStreams({ set, world, say }) {
  const { root, ask, person, repo, commit, runner, any, doors } = world
  const everywhere = (open) => Promise.all(set.replicas.map(({ url }) => open(url)))
  const allShow = async (what, streams, text) => {
    const startedMs = performance.now()
    await eventually(what, () => streams.every((stream) => stream.text().includes(text)), newsMs)
    return Math.round(performance.now() - startedMs)
  }

  const path = await repo()
  const reader = await person()
  const cookie = await reader.signIn()
  await ask('POST', `/repos/${path}/issues`, { title: 'followed' })
  const bySession = { cookie }
  const byToken = { authorization: `token ${reader.token}` }
  const feeds = await everywhere((url) => openStream(`${url}/api/v1/repos/${path}/events/stream`, byToken))
  const pages = await everywhere((url) => openStream(`${url}/${path}/issues/1/live`, bySession))
  const ofRoot = { authorization: `token ${root}` }
  const lives = await everywhere((url) => openStream(`${url}/api/v1/admin/events?only=issue.*`, ofRoot))
  for (const [index, at] of doors.entries()) {
    await must(at.api(root, 'POST', `/repos/${path}/issues`, { title: `news ${index}` }), 'an issue')
  }
  for (const [what, streams] of Object.entries({ 'the change feed': feeds, 'live events': lives })) {
    const count = () => streams.map((stream) => stream.text().split('event: issue.opened').length - 1)
    await eventually(what, () => count().every((each) => each >= doors.length), newsMs).catch((error) => {
      throw new Error(`${error.message}: ${count().join(' ')} of ${doors.length} events`)
    })
    assert.deepEqual(
      count(),
      count().map(() => doors.length),
      `${what} has each event once`,
    )
  }
  await must(doors[1].api(root, 'POST', `/repos/${path}/issues/1/comments`, { body: 'news' }), 'a comment')
  const refreshMs = await allShow('open pages refresh', pages, 'refresh')
  say(`events of each replica reach the streams of all; pages refresh after ${refreshMs} ms`)

  const revokedAtMs = performance.now()
  const [session] = await must(any.own(reader.token, 'GET', '/user/sessions'), 'sessions')
  await must(doors[0].own(reader.token, 'DELETE', `/user/sessions/${session.id}`), 'the end of a session')
  await must(
    doors[2].api({ login: reader.name, password: password }, 'DELETE', `/users/${reader.name}/tokens/test`),
    'a revocation',
  )
  await eventually('revoked streams end', () => [...feeds, ...pages].every((stream) => !stream.isOpen()), revokedMs)
  say(`streams of a revoked token and an ended session ended after ${Math.round(performance.now() - revokedAtMs)} ms`)
  for (const stream of lives) stream.close()

  const project = await repo()
  const waiting = await Promise.all(doors.map(() => runner(project)))
  const polls = waiting.map(({ call }, index) =>
    call(doors[index], 'FetchTask', { tasksVersion: '0' }, { 'connect-timeout-ms': String(waitMs) }),
  )
  // The first answer tells a runner the version of its queue; it waits with that version.
  const versions = (await Promise.all(polls)).map(({ json }) => json.tasksVersion)
  const startedMs = performance.now()
  const fetched = waiting.map(async ({ call }, index) => {
    const { json, status, text } = await call(
      doors[index],
      'FetchTask',
      { tasksVersion: versions[index] },
      { 'connect-timeout-ms': '6000' },
    )
    assert.equal(status, 200, text)
    return { task: json.task, ms: performance.now() - startedMs }
  })
  await commit(project, '.forgejo/workflows/build.yml', workflow)
  const results = await Promise.all(fetched)
  const found = results.findIndex(({ task }) => task !== undefined)
  assert.equal(results.filter(({ task }) => task !== undefined).length, 1, 'one of three waiting runners gets the job')
  say(`one of the runners that wait at each replica got the job after ${Math.round(results[found].ms)} ms`)

  const { task } = results[found]
  const [run] = (await ask('GET', `/repos/${project}/actions/runs`)).workflow_runs
  const [job] = (await ask('GET', `/repos/${project}/actions/runs/${run.id}/jobs`)).jobs
  const logs = await everywhere((url) =>
    openStream(`${url}/api/v1/repos/${project}/actions/jobs/${job.id}/logs/stream`, ofRoot),
  )
  const { call } = waiting[found]
  for (const [index, at] of doors.entries()) {
    const rows = [{ time: new Date().toISOString(), content: `line ${index}` }]
    await must(call(at, 'UpdateLog', { taskId: task.id, index: String(index), rows, noMore: false }), 'a line')
  }
  const lineMs = await allShow('lines of a log', logs, `line ${doors.length - 1}`)
  for (const stream of logs) {
    const lines = [...stream.text().matchAll(/line (\d)/g)].map(([, number]) => Number(number))
    assert.deepEqual(lines, [...doors.keys()], 'each line comes once and in order')
  }
  await must(doors[0].api(root, 'POST', `/repos/${project}/actions/runs/${run.id}/cancel`), 'a cancellation')
  for (const at of doors) {
    const { state } = await must(call(at, 'UpdateTask', { state: { id: task.id } }), 'the state of a task')
    assert.equal(state.result, 'RESULT_CANCELLED', 'a runner is told of a cancellation at any replica')
  }
  for (const stream of logs) stream.close()
  say(`lines of a log reached all replicas after ${lineMs} ms; a cancellation reached the runner at once`)
}
