/** Runs of the demo repository, executed by a runner that only reports: made on every server in the same way. */

const encoded = (text) => Buffer.from(text).toString('base64')

const release = `name: Release
on:
  workflow_dispatch:
    inputs:
      version: { description: Version to publish, required: true }
      channel: { description: Channel, type: choice, options: [stable, beta], default: beta }
      dry: { description: Only try, type: boolean, default: 'true' }
jobs:
  lint:
    runs-on: ubuntu-latest
    steps: [{ name: Install, run: npm ci }, { name: Lint, run: npm run lint }]
  unit:
    runs-on: ubuntu-latest
    steps: [{ name: Install, run: npm ci }, { name: Test, run: npm test }]
  build-linux:
    needs: [lint, unit]
    runs-on: ubuntu-latest
    steps: [{ run: make linux }]
  build-arm:
    needs: [lint, unit]
    runs-on: ubuntu-latest
    steps: [{ run: make arm64 }]
  publish:
    needs: [build-linux, build-arm]
    runs-on: ubuntu-latest
    environment: { name: production, url: https://anvil.example.com }
    steps: [{ run: make publish }]
`

const log = (fails) => [
  'runner "demo" takes the job',
  '::group::Set up the workspace',
  'mkdir -p /workspace/alice/anvil',
  'cd /workspace/alice/anvil',
  '::endgroup::',
  'Cloning https://code.example.com/alice/anvil at 4f1c2e7',
  'HEAD is now at 4f1c2e7 Add docs/guide.md',
  '$ npm ci',
  '\u001B[2madded 212 packages in 4s\u001B[0m',
  '38 packages are looking for funding',
  '\u001B[33mnpm warn\u001B[0m deprecated glob@7.2.3',
  '$ npm test',
  '::group::Compile',
  'src/groups.ts → dist/groups.js',
  'src/line.ts → dist/line.js',
  '::endgroup::',
  '\u001B[32m✓\u001B[0m the largest group comes first \u001B[2m(3 ms)\u001B[0m',
  '\u001B[32m✓\u001B[0m a line without fields is unreadable \u001B[2m(1 ms)\u001B[0m',
  '::warning file=src/line.ts,line=7,title=unused-export::no other file imports this constant',
  ...(fails
    ? [
        '\u001B[31m✗\u001B[0m a long line is unreadable \u001B[2m(12 ms)\u001B[0m',
        '    Expected values to be strictly equal: 64 !== 65',
        '::error file=src/line.ts,line=3::a long line is unreadable',
        'See https://docs.example.com/tests for help',
        '\u001B[1;31m1 of 3 tests failed\u001B[0m',
      ]
    : ['\u001B[32m✓\u001B[0m a long line is unreadable', '\u001B[1;32m3 tests passed\u001B[0m']),
]

const summary = `### Tests
| suite | passed | failed | time |
|---|--:|--:|--:|
| groups | 41 | 0 | 0.8 s |
| line | 17 | 1 | 1.2 s |
`

/** Length of the steps in lines, after one line of the runner. */
const lengths = [6, 4]

/** Lets a reporting runner execute the jobs that wait; the newest one stays running. */
export async function makeDemoRuns(url, ask, repo) {
  await ask('alice', 'POST', `${repo}/contents/.gitea/workflows/release.yml`, {
    content: encoded(release),
    message: 'Add a workflow that releases',
  })
  await ask('alice', 'POST', `${repo}/actions/workflows/release.yml/dispatches`, {
    ref: 'main',
    inputs: { version: '1.5.0' },
  })
  const { token } = await ask('alice', 'GET', `${repo}/actions/runners/registration-token`)
  const call = async (method, body, headers = {}) => {
    const reply = await fetch(`${url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${method} answered ${reply.status}: ${await reply.text()}`)
    return reply.json()
  }
  const { runner } = await call('Register', { name: 'demo', token, labels: ['ubuntu-latest'] })
  const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
  const seconds = (ago) => new Date(Date.now() - ago * 1000).toISOString()
  for (let turn = 0; ; turn++) {
    const { task } = await call('FetchTask', { tasksVersion: '0' }, headers)
    if (!task) return
    const fails = turn % 5 === 3
    const lines = log(fails)
    const isLast = turn === 13
    const steps = [...lengths, lines.length - 11].map((length, id) => ({
      id: String(id),
      logIndex: String([1, 7, 11][id]),
      logLength: String(length),
      startedAt: seconds([58, 52, 40][id]),
      ...(isLast && id === 2
        ? {}
        : { stoppedAt: seconds([52, 40, 12][id]), result: fails && id === 2 ? 'RESULT_FAILURE' : 'RESULT_SUCCESS' }),
    }))
    const rows = lines.map((content, at) => ({ time: seconds(58 - at * 2), content }))
    await call('UpdateLog', { taskId: task.id, index: '0', rows, noMore: !isLast }, headers)
    const result = isLast ? {} : { result: fails ? 'RESULT_FAILURE' : 'RESULT_SUCCESS' }
    const summaries = fails ? { 2: summary } : {}
    await call('UpdateTask', { state: { id: task.id, steps, ...result }, summaries }, headers)
    if (isLast) return
  }
}
