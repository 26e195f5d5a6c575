import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, TestRunner, workflow } from '../actions.test-support.ts'

const jobsIn = async (forge: Forge): Promise<string[]> => {
  const rows = await forge.services.db
    .selectFrom('action_job')
    .select(['name', 'status', 'runs_on'])
    .orderBy('run_id')
    .orderBy('position')
    .execute()
  return rows.map(
    ({ name, status, runs_on: runsOn }) => `${name}: ${status} ${(JSON.parse(runsOn) as string[]).join()}`,
  )
}

test('a matrix from `needs` is planned when the needed job has ended, and jobs that need it wait', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const job = (more: string) => `{ runs-on: ubuntu-latest, steps: [{ run: x }], ${more} }`
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow(
      'push',
      [
        'plan: { runs-on: ubuntu-latest, steps: [{ run: x }], outputs: { list: a, label: b } }',
        `build: ${job('needs: plan, strategy: { matrix: { v: "${{ fromJSON(needs.plan.outputs.list) }}", os: [x, y] } }')}`,
        `named: { name: "N \${{ matrix.v }} for \${{ github.actor }}", needs: [plan], runs-on: "\${{ needs.plan.outputs.label }}", steps: [{ run: x }], strategy: { matrix: { include: "\${{ fromJSON(needs.plan.outputs.more) }}" } } }`,
        `bad: ${job('needs: plan, strategy: { matrix: "${{ fromJSON(needs.plan.outputs.none) }}" }')}`,
        `last: ${job('needs: [build, named]')}`,
        `skipped: ${job('needs: bad, strategy: { matrix: { v: "${{ fromJSON(needs.bad.outputs.list) }}" } }')}`,
      ].join('\n  '),
    ),
  })
  assert.deepEqual(await jobsIn(forge), [
    'plan: waiting ubuntu-latest',
    'build: blocked ',
    'named: blocked ',
    'bad: blocked ',
    'last: blocked ubuntu-latest',
    'skipped: blocked ',
  ])
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, ['ubuntu-latest', 'gpu'])
  const outputs = { list: '["1","2"]', label: 'gpu', more: '[{"v":"one"},{"v":"two"}]' }
  await runner.finish(await runner.must(), 'SUCCESS', outputs)
  await forge.settle()
  assert.deepEqual((await jobsIn(forge)).toSorted(), [
    'N one for alice: waiting gpu',
    'N two for alice: waiting gpu',
    'bad: failure ',
    'build (x, 1): waiting ubuntu-latest',
    'build (x, 2): waiting ubuntu-latest',
    'build (y, 1): waiting ubuntu-latest',
    'build (y, 2): waiting ubuntu-latest',
    'last: blocked ubuntu-latest',
    'plan: success ubuntu-latest',
    'skipped: skipped ',
  ])
  for (let task = await runner.fetch(); task !== undefined; task = await runner.fetch()) {
    const text = Buffer.from(task.workflowPayload, 'base64').toString()
    if (/build/.test(text)) assert.match(text, /matrix:\n\s+os:\n\s+- "?[xy]"?\n\s+v:\n\s+- "?[12]"?/)
    await runner.finish(task)
    await forge.settle()
  }
  const [run] = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  assert.equal(run.status, 'failure')
  assert.ok((await jobsIn(forge)).includes('last: success ubuntu-latest'))
  const statuses = (await forge.as('alice').get(`${repo.api}/commits/main/statuses?limit=50`)).json
  const open = new Set(statuses.map((each: { context: string }) => each.context))
  assert.equal([...open].filter((context) => /build( \(push\))?$/.test(String(context))).length, 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('a deferred job of a skipped or failed need is skipped, and a rerun plans it', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/w.yml': workflow(
      'push',
      [
        'plan: { runs-on: ubuntu-latest, steps: [{ run: x }] }',
        'build: { needs: plan, runs-on: ubuntu-latest, steps: [{ run: x }], strategy: { matrix: { v: "${{ fromJSON(needs.plan.outputs.list) }}" } } }',
        'wrong: { runs-on: ubuntu-latest, steps: [{ run: x }], strategy: { matrix: { v: "${{ fromJSON(1 }}" } } }',
      ].join('\n  '),
    ),
  })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await runner.finish(await runner.must(), 'FAILURE')
  await forge.settle()
  assert.deepEqual(await jobsIn(forge), ['plan: failure ubuntu-latest', 'build: skipped ', 'wrong: failure '])
  const alice = forge.as('alice')
  const [run] = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  const rerun = await alice.post(`${repo.api}/actions/runs/${run.id}/rerun`)
  assert.equal(rerun.status, 202, rerun.text)
  await forge.settle()
  assert.deepEqual(await jobsIn(forge), ['plan: waiting ubuntu-latest', 'build: blocked ', 'wrong: failure '])
  await runner.finish(await runner.must(), 'SUCCESS', { list: '["a"]' })
  await forge.settle()
  assert.deepEqual(await jobsIn(forge), [
    'plan: success ubuntu-latest',
    'build (a): waiting ubuntu-latest',
    'wrong: failure ',
  ])
})

const calledFile = `on:
  workflow_call:
    inputs: { part: { type: string }, env: { type: string } }
    outputs: { done: { value: '\${{ jobs.build.outputs.done }}' } }
permissions: { contents: read }
jobs:
  list:
    runs-on: ubuntu-latest
    outputs: { inner: '\${{ steps.x.outputs.inner }}' }
    steps: [{ id: x, run: x }]
  build:
    needs: list
    runs-on: ubuntu-latest
    concurrency: { group: 'env-\${{ inputs.env }}-\${{ inputs.part }}\${{ matrix.v }}' }
    strategy: { matrix: { v: '\${{ fromJSON(needs.list.outputs.inner) }}' } }
    outputs: { done: '\${{ steps.x.outputs.done }}' }
    steps: [{ id: x, run: 'echo \${{ inputs.part }} \${{ secrets.KEY }} \${{ secrets.OTHER }}' }]
  deep: { uses: ./.gitea/workflows/deep.yml, with: { part: '\${{ inputs.part }}' } }
`
const deepFile = `on: { workflow_call: { inputs: { part: { type: string } } } }
jobs: { one: { runs-on: ubuntu-latest, name: 'one of \${{ inputs.part }}', steps: [{ run: x }] } }
`

test('a called workflow with a matrix from `needs` is planned from the files of the commit of the run', async () => {
  await using forge = await startForge()
  const shared = await forge.given.repo({ name: 'shared' })
  const outer = 'on: workflow_call\njobs: { go: { uses: ./.gitea/workflows/deep.yml, with: { part: far } } }\n'
  await commitFiles(forge, shared.api, { '.gitea/workflows/outer.yml': outer, '.gitea/workflows/deep.yml': deepFile })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/KEY`, { data: 'key-value' })
  await alice.must('PUT', `${repo.api}/actions/secrets/OTHER`, { data: 'other-value' })
  const caller = [
    'plan: { runs-on: ubuntu-latest, steps: [{ run: x }] }',
    'call: { needs: plan, uses: ./.gitea/workflows/called.yml, with: { part: "${{ matrix.part }}", env: "${{ needs.plan.outputs.env }}" }, secrets: { KEY: "${{ secrets.KEY }}" }, strategy: { matrix: { part: "${{ fromJSON(needs.plan.outputs.parts) }}" } } }',
    'last: { needs: call, runs-on: ubuntu-latest, steps: [{ run: "echo ${{ needs.call.outputs.done }}" }] }',
    'lost: { needs: plan, uses: ./.gitea/workflows/absent.yml, strategy: { matrix: { a: "${{ fromJSON(needs.plan.outputs.parts) }}" } } }',
    'unmet: { needs: lost, uses: ./.gitea/workflows/called.yml, concurrency: { group: "${{ needs.lost.result }}" } }',
    'met: { needs: lost, if: failure(), uses: ./.gitea/workflows/deep.yml, with: { part: m }, concurrency: { group: "g-${{ needs.lost.result }}" } }',
    'far: { needs: plan, uses: alice/shared/.gitea/workflows/outer.yml@main, concurrency: { group: "${{ needs.plan.outputs.env }}" } }',
  ]
  const files = { '.gitea/workflows/called.yml': calledFile, '.gitea/workflows/deep.yml': deepFile }
  await commitFiles(forge, repo.api, { ...files, '.gitea/workflows/w.yml': workflow('push', caller.join('\n  ')) })
  const names = async (): Promise<string[]> =>
    (await jobsIn(forge)).map((each) => each.replace(/ (?:ubuntu-latest)?$/, ''))
  assert.deepEqual(await names(), [
    'plan: waiting',
    'call: blocked',
    'last: blocked',
    'lost: blocked',
    'unmet: blocked',
    'met: blocked',
    'far: blocked',
  ])
  // What is committed later is not what the run executes.
  await commitFiles(forge, repo.api, Object.fromEntries(Object.keys(files).map((path) => [path, undefined])), {
    message: '[skip ci]',
  })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`, ['ubuntu-latest'])
  await runner.finish(await runner.must(), 'SUCCESS', { parts: '["a","b"]', env: 'prod' })
  await forge.settle()
  const planned = (await names()).toSorted()
  assert.deepEqual(planned, [
    'call (a) / build: blocked',
    'call (a) / deep / one of a: waiting',
    'call (a) / deep: blocked',
    'call (a) / list: waiting',
    'call (a): blocked',
    'call (b) / build: blocked',
    'call (b) / deep / one of b: waiting',
    'call (b) / deep: blocked',
    'call (b) / list: waiting',
    'call (b): blocked',
    'far / go / one of far: waiting',
    'far / go: blocked',
    'far: blocked',
    'last: blocked',
    'lost: failure',
    'met / one of m: waiting',
    'met: blocked',
    'plan: success',
    'unmet: skipped',
  ])
  const seen: string[] = []
  for (let task = await runner.fetch(); task !== undefined; task = await runner.fetch()) {
    const text = Buffer.from(task.workflowPayload, 'base64').toString()
    if (text.includes('echo')) {
      const secrets = Object.keys(task.secrets).filter((each) => !each.includes('_'))
      seen.push(`${/run: echo .*/.exec(text)?.[0]} ${secrets.toSorted().join()}`)
    }
    await runner.finish(task, 'SUCCESS', { inner: '["1","2"]', done: 'yes' })
    await forge.settle()
  }
  const after = await names()
  assert.deepEqual(after.filter((each) => !each.endsWith(': success')).toSorted(), ['lost: failure', 'unmet: skipped'])
  assert.equal(after.filter((each) => /^call \([ab]\) \/ build \([12]\): success$/.test(each)).length, 4)
  const echo = (part: string) => `run: echo \${{ ('${part}') }} \${{ (secrets.KEY) }} \${{ null }} KEY`
  assert.deepEqual(seen.toSorted(), [
    echo('a'),
    echo('a'),
    echo('b'),
    echo('b'),
    'run: echo ${{ needs.call.outputs.done }} KEY,OTHER',
  ])
  const groups = await forge.services.db.selectFrom('action_job').select(['name', 'concurrency_group']).execute()
  assert.deepEqual(groups.flatMap((each) => (each.name.includes('build') ? [each.concurrency_group] : [])).toSorted(), [
    'env-prod-a1',
    'env-prod-a2',
    'env-prod-b1',
    'env-prod-b2',
  ])
  assert.deepEqual(await examined(forge.services), [])
})
