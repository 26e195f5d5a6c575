import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, runsOf, TestRunner } from '../actions.test-support.ts'
import { expressionOf, replaceIn, replacementsOf } from './call.rules.ts'

test('strings become expressions, and contexts are replaced outside of string literals', () => {
  assert.equal(expressionOf("it's"), "'it''s'")
  assert.equal(expressionOf(true), 'true')
  assert.equal(expressionOf('${{ needs.a.outputs.b }}'), '(needs.a.outputs.b)')
  assert.equal(
    expressionOf("a {b} ${{ x }} c ${{ y['}}'] }}"),
    "format('a {0}b{1} {2} c {3}', '{', '}', x, y['}}'])",
    'a string literal does not end an expression',
  )
  const names = replacementsOf([['Name', "'v'"]])
  assert.equal(
    replaceIn("inputs.name == 'inputs.name' && my.inputs.name || inputs['NAME'] || inputs.none", 'inputs', names),
    "'v' == 'inputs.name' && my.inputs.name || 'v' || null",
  )
  const { whole } = names
  assert.equal(whole, `fromJSON(format('{0}"Name":{2}{1}', '{', '}', toJSON('v')))`)
  assert.equal(
    replaceIn("toJSON(inputs) || inputs[matrix.key] || inputs.* || 'inputs' || github.event. inputs", 'inputs', names),
    `toJSON(${whole}) || ${whole}[matrix.key] || ${whole}.* || 'inputs' || github.event. inputs`,
  )
  assert.equal(replaceIn('inputs(1) || my-inputs || inputs-of', 'inputs', names), 'inputs(1) || my-inputs || inputs-of')
})

const called = `on:
  workflow_call:
    inputs:
      who: { type: string, required: true }
      loud: { type: boolean, default: true }
      times: { type: number, default: 2 }
    secrets: { KEY: { required: true } }
    outputs: { said: { value: 'said \${{ jobs.say.outputs.text }}' } }
env: { WHO: '\${{ inputs.who }}' }
jobs:
  say:
    runs-on: host
    outputs: { text: '\${{ steps.say.outputs.text }}' }
    steps:
      - id: say
        if: inputs.loud
        run: echo "text=$WHO \${{ inputs.times }} \${{ secrets.KEY == 'deep' }}\${{ secrets.OTHER }}" >> "$GITHUB_OUTPUT"
      - run: echo "all \${{ toJSON(secrets) }}" | tr -d '\\n'
      - env: { ALL: '\${{ toJSON(inputs) }}', ONE: '\${{ inputs[format(''wh{0}'', ''o'')] }}', NAMES: '\${{ join(inputs.*, '', '') }}' }
        run: |
          echo "inputs are $(echo "$ALL" | tr -d ' \\n')"
          echo "one is $ONE of $NAMES"
  after: { runs-on: host, needs: say, steps: [{ run: 'echo \${{ needs.say.outputs.text }}' }] }
`
const caller = `on: push
jobs:
  first:
    runs-on: host
    outputs: { name: '{world}' }
    steps: [{ run: echo first }]
  call:
    needs: first
    uses: ./.forgejo/workflows/called.yml
    with: { who: 'hello \${{ needs.first.outputs.name }}' }
    secrets: { KEY: '\${{ secrets.DEEP }}' }
  skipped:
    needs: first
    if: failure()
    uses: alice/shared/.forgejo/workflows/other.yml@main
  many:
    strategy: { matrix: { n: [1, 2] } }
    uses: alice/shared/.forgejo/workflows/other.yml@main
    with: { n: '\${{ matrix.n }}' }
  last:
    needs: [call, many]
    runs-on: host
    steps: [{ run: 'echo "\${{ needs.call.outputs.said }}, \${{ needs.many.result }}"' }]
`
const other = `on: { workflow_call: { inputs: { n: { type: number } } } }
jobs: { one: { runs-on: host, steps: [{ run: 'echo "n is \${{ inputs.n }}"' }] } }
`

test('a workflow calls others in the same commit and in other repositories, with inputs, secrets and outputs', async () => {
  await using forge = await startForge({ runner: true })
  const alice = forge.as('alice')
  const shared = await forge.given.repo({ name: 'shared' })
  await commitFiles(forge, shared.api, { '.forgejo/workflows/other.yml': other })
  const repo = await forge.given.repo()
  for (const [name, data] of [
    ['DEEP', 'deep'],
    ['OTHER', 'not-passed-on'],
  ]) {
    await alice.must('PUT', `${repo.api}/actions/secrets/${name}`, { data })
  }
  await commitFiles(forge, repo.api, { '.forgejo/workflows/called.yml': called, '.forgejo/workflows/w.yml': caller })
  const [run] = (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  const { jobs } = (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json
  assert.deepEqual(
    jobs.map((job: Record<string, string>) => `${job['name']}: ${job['status']}`),
    [
      'first: success',
      'call / say: success',
      'call / after: success',
      'call: success',
      'skipped / one: skipped',
      'skipped: skipped',
      'many (1) / one: success',
      'many (1): success',
      'many (2) / one: success',
      'many (2): success',
      'last: success',
    ],
  )
  assert.deepEqual(
    await runsOf(forge, repo.api),
    ['push w.yml main success'],
    'a push does not start a workflow that is only called',
  )
  const logOf = async (name: string): Promise<string> => {
    const { id } = jobs.find((job: Record<string, string>) => job['name'] === name)
    return (await alice.get(`${repo.api}/actions/jobs/${id}/logs`)).text
  }
  assert.match(await logOf('last'), /said hello \{world\} 2 true, success/)
  assert.match(await logOf('many (2) / one'), /n is 2/)
  const inner = await logOf('call / say')
  assert.match(inner, /inputs are \{"who":"hello\{world\}","loud":true,"times":2\}/)
  assert.match(inner, /one is hello \{world\} of hello \{world\}, true, 2/)
  assert.match(inner, /all \{.*"KEY": "\*\*\*"/)
  assert.equal((await logOf('call / say')).includes('OTHER'), false, 'other secrets are not passed')
})

test('a called workflow has jobs of the same keys as the jobs that its call needs', async () => {
  await using forge = await startForge({ runner: true })
  const repo = await forge.given.repo()
  const made = (value: string, more = '') =>
    `{ runs-on: host, ${more} outputs: { v: '\${{ steps.s.outputs.v }}' }, steps: [{ id: s, run: 'echo "v=${value}" >> "$GITHUB_OUTPUT"' }] }`
  const shown = (text: string) => `steps: [{ run: 'echo "shown: ${text}"' }]`
  const head = 'on: { workflow_call: { inputs: { v: { type: string }, w: { type: string } } } }\njobs:\n'
  await commitFiles(forge, repo.api, {
    '.forgejo/workflows/deep.yml': `${head}  build: ${made('deep')}
  test: { runs-on: host, needs: build, ${shown("${{ inputs.v }} ${{ inputs.w }} ${{ needs.build.outputs.v }} ${{ needs[''build''].result }}")} }\n`,
    '.forgejo/workflows/called.yml': `${head}  build: ${made('inner')}
  test: { runs-on: host, needs: build, ${shown('${{ inputs.v }} ${{ needs.build.outputs.v }}')} }
  deep: { needs: build, uses: ./.forgejo/workflows/deep.yml, with: { v: '\${{ inputs.v }}', w: '\${{ needs.build.outputs.v }}' }, if: needs.build.outputs.v == 'inner' }\n`,
    '.forgejo/workflows/w.yml': `on: push\njobs:\n  build: ${made('outer')}
  call: { needs: build, uses: ./.forgejo/workflows/called.yml, with: { v: '\${{ needs.build.outputs.v }}' }, if: needs.build.outputs.v == 'outer' }\n`,
  })
  const alice = forge.as('alice')
  const [run] = (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  assert.equal(run.problem ?? '', '')
  const { jobs } = (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json
  assert.deepEqual(
    jobs.map((job: Record<string, string>) => `${job['name']}: ${job['status']}`),
    [
      'build: success',
      'call / build: success',
      'call / test: success',
      'call / deep / build: success',
      'call / deep / test: success',
      'call / deep: success',
      'call: success',
    ],
  )
  const logOf = async (name: string): Promise<string> =>
    (
      await alice.get(
        `${repo.api}/actions/jobs/${jobs.find((job: Record<string, string>) => job['name'] === name).id}/logs`,
      )
    ).text
  assert.match(await logOf('call / test'), /shown: outer inner/)
  assert.match(await logOf('call / deep / test'), /shown: outer inner deep success/)
})

test('the problem of a run explains a call that fails: missing, unreadable, not callable, nested too deep, or wrong inputs', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const hidden = await forge.given.repo({ owner: 'bob', name: 'hidden', private: true })
  await commitFiles(forge, hidden.api, { '.forgejo/workflows/x.yml': other }, { as: 'bob' })
  const own = await forge.given.repo({ name: 'secluded', private: true })
  await commitFiles(forge, own.api, { '.forgejo/workflows/x.yml': other })
  const repo = await forge.given.repo()
  const calling = (uses: string, more = '') => `on: push\njobs: { a: { uses: '${uses}'${more} } }\n`
  await commitFiles(forge, repo.api, {
    '.forgejo/workflows/1.yml': calling('./.forgejo/workflows/none.yml'),
    '.forgejo/workflows/2.yml': calling('bob/hidden/.forgejo/workflows/x.yml@main'),
    '.forgejo/workflows/3.yml': calling('./.forgejo/workflows/1.yml'),
    '.forgejo/workflows/4.yml': `on: [push, workflow_call]\njobs: { a: { uses: './.forgejo/workflows/4.yml' } }\n`,
    '.forgejo/workflows/5.yml': calling('https://example.com/x.yml'),
    '.forgejo/workflows/6.yml': calling('./.forgejo/workflows/7.yml', ', with: { stray: 1 }'),
    '.forgejo/workflows/7.yml':
      'on: { workflow_call: { inputs: { must: { required: true } } } }\njobs: { a: { runs-on: x, steps: [] } }\n',
    '.forgejo/workflows/8.yml': calling('./.forgejo/workflows/7.yml'),
    '.forgejo/workflows/9.yml': calling('alice/secluded/.forgejo/workflows/x.yml@main'),
  })
  const { workflow_runs: runs } = (await forge.as('alice').must('GET', `${repo.api}/actions/runs`)).json
  const unreadable = (uses: string) => `job "a": called workflow "${uses}" does not exist or is not readable`
  assert.deepEqual(
    runs.map((run: Record<string, string>) => [run['workflow_id'], run['status'], run['problem']]),
    [
      ['1.yml', 'failure', unreadable('./.forgejo/workflows/none.yml')],
      ['2.yml', 'failure', unreadable('bob/hidden/.forgejo/workflows/x.yml@main')],
      ['3.yml', 'failure', 'job "a": called workflow "./.forgejo/workflows/1.yml" has no `on: workflow_call`'],
      ['4.yml', 'failure', 'job "a": called workflows are nested more than 4 levels deep'],
      [
        '5.yml',
        'failure',
        'job "a": `uses: https://example.com/x.yml` is not a workflow; write ./.forgejo/workflows/FILE or OWNER/REPOSITORY/.forgejo/workflows/FILE@REF',
      ],
      ['6.yml', 'failure', 'job "a": called workflow "./.forgejo/workflows/7.yml" has no input "stray"'],
      [
        '8.yml',
        'failure',
        'job "a": called workflow "./.forgejo/workflows/7.yml" requires the input "must"; pass it in `with`',
      ],
      ['9.yml', 'failure', unreadable('alice/secluded/.forgejo/workflows/x.yml@main')],
    ],
  )
})

test('a called job has at most the rights of the calling job, and is rerun with it', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.forgejo/workflows/c.yml':
      'permissions: write-all\non: workflow_call\njobs: { in: { runs-on: x, steps: [{ run: x }] } }\n',
    '.forgejo/workflows/w.yml':
      'on: push\njobs: { a: { permissions: { contents: read }, uses: ./.forgejo/workflows/c.yml }, b: { needs: a, runs-on: x, steps: [{ run: x }] } }\n',
  })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, ['x'])
  const task = await runner.must()
  assert.equal(task.context['job'], 'in')
  assert.equal(task.context['id_token_request_url'], undefined)
  const asJob = forge.as('job', { token: task.context.token })
  assert.equal((await asJob.post(`${repo.api}/issues`, { title: 'x' })).status, 403)
  await runner.finish(task, 'FAILURE')
  const alice = forge.as('alice')
  const run = `${repo.api}/actions/runs/${String(task.context['run_id'])}`
  const states = async () =>
    (await alice.get(`${run}/jobs`)).json.jobs.map((job: Record<string, string>) => `${job['name']} ${job['status']}`)
  assert.deepEqual(await states(), ['a / in failure', 'a failure', 'b skipped'])
  const { jobs } = (await alice.get(`${run}/jobs`)).json
  assert.equal((await alice.post(`${repo.api}/actions/jobs/${jobs[1].id}/rerun`)).status, 202)
  assert.deepEqual(await states(), ['a / in failure', 'a failure', 'b skipped'], 'a call has the status of its jobs')
  assert.equal((await alice.post(`${run}/rerun-failed-jobs`)).status, 202)
  await runner.finish(await runner.must())
  await runner.finish(await runner.must())
  assert.deepEqual(await states(), ['a / in success', 'a success', 'b success'])
})
