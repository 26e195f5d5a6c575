import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startForge, type Forge } from '../testing/forge.ts'
import { callRunner, commitFiles, TestRunner, workflow } from './actions.test-support.ts'

async function problemsOf(forge: Forge, files: Readonly<Record<string, string>>): Promise<string[]> {
  const repo = await forge.given.repo()
  const paths = Object.entries(files).map(([name, text]) => [`.forgejo/workflows/${name}`, text] as const)
  await commitFiles(forge, repo.api, Object.fromEntries(paths))
  const { workflow_runs: runs } = (await forge.as('alice').must('GET', `${repo.api}/actions/runs`)).json
  return runs.map((run: Record<string, string>) => `${run['workflow_id']}: ${run['status']}: ${run['problem']}`)
}

const jobWith = (more: string): string => `on: push\njobs: { a: { runs-on: x, steps: [{ run: x }], ${more} } }\n`

test('hostile workflow files are refused: multiplying aliases, deep nesting, large matrices, growing expressions', async () => {
  await using forge = await startForge()
  const aliases = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`).join('\n')
  const axis = (name: string) => `${name}: [${Array.from({ length: 40 }, (_, at) => at).join(', ')}]`
  const grows = `\${{ ${'format('.repeat(40)}'{0}{0}{0}{0}'${", '{0}{0}{0}{0}')".repeat(40)} }}`
  const problems = await problemsOf(forge, {
    '1-aliases.yml': `a0: &a0 [x]\n${aliases}\n${workflow('push')}`,
    '2-deep.yml': `on: push\njobs: ${'['.repeat(100_000)}`,
    '3-deep.yml': `on: push\njobs: ${'{ a: '.repeat(60)}1${' }'.repeat(60)}\n`,
    '4-matrix.yml': jobWith(`strategy: { matrix: { ${axis('one')}, ${axis('two')}, ${axis('three')} } }`),
    '5-jobs.yml': `on: push\njobs:\n${Array.from({ length: 300 }, (_, at) => `  j${at}: { runs-on: x, steps: [] }\n`).join('')}`,
    '6-grows.yml': jobWith(`name: x, runs-on: "${grows}"`).replace('runs-on: x, ', ''),
    '7-long.yml': jobWith(`runs-on: "\${{ '${'x'.repeat(5000)}' }}"`).replace('runs-on: x, ', ''),
    '8-brackets.yml': jobWith(`runs-on: "\${{ ${'('.repeat(2000)}1${')'.repeat(2000)} }}"`).replace('runs-on: x, ', ''),
    '9-marks.yml': jobWith(`runs-on: "${'${{'.repeat(30_000)}"`).replace('runs-on: x, ', ''),
    '9-proto.yml': 'on: push\njobs: { __proto__: { runs-on: x, steps: [{ run: x }] } }\n',
  })
  assert.equal(problems.length, 10)
  for (const problem of problems.slice(0, 8)) assert.match(problem, /^\S+: failure: ./)
  for (const problem of problems) assert.ok(problem.length < 1200, problem)
})

test('zero bytes in a workflow file and in what it evaluates are a problem of the file', async () => {
  await using forge = await startForge()
  const zero = String.raw`"a\0b"`
  const json = String.raw`'${'${{'} fromJSON(''"a\u0000b"'') }}'`
  const job = (name: string, value: string): string =>
    `on: push\njobs: { a: { ${name.startsWith('runs-on') ? '' : 'runs-on: x, '}${name}: ${value}, steps: [{ run: x }] } }\n`
  const files = [zero, json].flatMap((value) => [
    `name: ${value}\n${workflow('push')}`,
    `run-name: ${value}\n${workflow('push')}`,
    `concurrency: ${value}\n${workflow('push')}`,
    `concurrency: { group: ${value} }\n${workflow('push')}`,
    `env: { A: ${value} }\n${workflow('push')}`,
    ...['name', 'runs-on', 'concurrency', 'environment', 'if', 'env', 'container'].map((name) => job(name, value)),
    job('strategy', `{ matrix: { of: [${value}] } }`),
    job('strategy', `{ matrix: { of: ${value} } }`),
    job('outputs', `{ one: ${value} }`),
    `on: push\njobs: { a: { runs-on: x, steps: [{ name: ${value}, run: x }] } }\n`,
    `on: push\njobs: { ${value}: { runs-on: x, steps: [{ run: x }] } }\n`,
    `on: { push: { branches: [${value}, '**'] } }\njobs: { a: { runs-on: x, steps: [{ run: x }] } }\n`,
  ])
  const problems = await problemsOf(forge, Object.fromEntries(files.map((text, at) => [`${at}.yml`, text])))
  assert.ok(problems.length >= files.length / 2, `${problems.length} runs`)
  assert.ok(
    problems.filter((each) => /a text holds a zero byte/.test(each)).length >= files.length / 2,
    problems.join('\n'),
  )
  assert.deepEqual(forge.defects, [])
})

test('hostile runners are refused: tasks of others, missing tasks, log gaps, long names, and tokens of others', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const other = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const stranger = await TestRunner.register(forge, `${other.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  assert.equal(await stranger.fetch(), undefined, 'a runner gets no jobs of another repository')
  for (const id of [task.id, '0', '-1', '9007199254740993', '18446744073709551615']) {
    const reply = await stranger.call('UpdateTask', { state: { id, result: 'RESULT_SUCCESS' } })
    assert.ok(reply.status >= 400 && reply.status < 500, `${id}: ${reply.status}`)
    assert.ok((await stranger.call('UpdateLog', { taskId: id, index: '0', rows: [] })).status < 500)
  }
  const mixed = { 'x-runner-uuid': runner.uuid, 'x-runner-token': stranger.token }
  assert.equal((await callRunner(forge, 'FetchTask', {}, mixed)).status, 401)
  const far = await runner.call('UpdateLog', { taskId: task.id, index: '9007199254740991', rows: [{ content: 'x' }] })
  assert.deepEqual([far.status, far.json], [200, {}])
  const odd = { state: { id: task.id, result: 'RESULT_NONE', steps: [{ id: '-1' }, { id: '5', logIndex: '-7' }] } }
  assert.ok((await runner.call('UpdateTask', odd)).status < 500)
  const outputs = { ['n'.repeat(300)]: 'x' }
  assert.equal((await runner.call('UpdateTask', { state: { id: task.id }, outputs })).status, 400)
  for (const body of ['{', '[]', '"x"', '{"state":{"id":{}}}', '{"state":{"id":"x"}}']) {
    const response = await fetch(`${forge.url}/api/actions/runner.v1.RunnerService/UpdateTask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token },
      body,
    })
    assert.equal(response.status, 400, body)
  }
  const line = randomBytes(3_000_000).toString('latin1')
  const noisy = await runner.log(task, 0, [line, '\0\0', '\r\n'.repeat(1000)])
  assert.deepEqual((noisy.json as { ackIndex: string }).ackIndex, '3')
  assert.equal((await runner.log(task, 3, ['x'.repeat(9_000_000)])).status, 413)
  await runner.finish(task)
  const late = await runner.call('UpdateTask', { state: { id: task.id, result: 'RESULT_FAILURE' } })
  assert.equal((late.json as { state: { result: string } }).state.result, 'RESULT_SUCCESS', 'the first result stays')
})

test('a chain of dispatches ends, and a push by a job starts no workflow', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('[push, workflow_dispatch]') })
  const statuses: number[] = []
  for (let task = await runner.fetch(); task; task = await runner.fetch()) {
    const job = forge.as('job', { token: task.context.token })
    const again = await job.post(`${repo.api}/actions/workflows/a.yml/dispatches`, { ref: 'main' })
    statuses.push(again.status)
    await job.must('POST', `${repo.api}/contents/${task.id}.txt`, { content: '' })
    await runner.finish(task)
    await forge.settle()
    assert.ok(statuses.length < 100, 'the chain does not end')
  }
  assert.deepEqual(statuses, [...Array<number>(10).fill(204), 409])
})

test('each of 500 concurrent dispatches creates a run with its own number or is refused at a limit', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('workflow_dispatch') })
  const alice = forge.as('alice')
  const dispatch = async (): Promise<number> =>
    (await alice.post(`${repo.api}/actions/workflows/a.yml/dispatches`, { ref: 'main' })).status
  const statuses = await Promise.all(Array.from({ length: 500 }, dispatch))
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => ![204, 429, 503].includes(status)),
    [],
  )
  const made = statuses.filter((status) => status === 204).length
  assert.ok(made > 50, `only ${made} runs were created`)
  const runs = await forge.services.db.selectFrom('action_run').select('number').orderBy('number').execute()
  assert.deepEqual(
    runs.map(({ number }) => number),
    Array.from({ length: made }, (_, at) => at + 1),
  )
})
