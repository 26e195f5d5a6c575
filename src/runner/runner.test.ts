import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitFiles, runsOf } from '../actions/actions.test-support.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'

/** Returns the log of a job of the newest run, without times. */
async function logOf(forge: Forge, repoApi: string, name: string): Promise<string> {
  const alice = forge.as('alice')
  const [run] = (await alice.must('GET', `${repoApi}/actions/runs?limit=50`)).json.workflow_runs.toReversed()
  const { jobs } = (await alice.must('GET', `${repoApi}/actions/runs/${run.id}/jobs`)).json
  const job = jobs.find((each: { name: string }) => each.name === name)
  assert.ok(job, `there is no job ${name}: ${jobs.map((each: { name: string }) => each.name).join(', ')}`)
  const log = await alice.get(`${repoApi}/actions/jobs/${job.id}/logs`)
  return log.text.replaceAll(/^\S+ /gm, '')
}

async function jobsOf(forge: Forge, repoApi: string): Promise<string[]> {
  const alice = forge.as('alice')
  const [run] = (await alice.must('GET', `${repoApi}/actions/runs?limit=50`)).json.workflow_runs.toReversed()
  const { jobs } = (await alice.must('GET', `${repoApi}/actions/runs/${run.id}/jobs`)).json
  return jobs.map((job: { name: string; conclusion: string; status: string }) => `${job.name} ${job.status}`)
}

const whole = `name: whole
on: push
env: { LEVEL: top, FROM: '\${{ github.ref_name }}' }
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: { matrix: { n: [1, 2] } }
    env: { LEVEL: job }
    outputs: { last: '\${{ steps.one.outputs.value }}', long: '\${{ steps.one.outputs.long }}' }
    steps:
      - uses: actions/checkout@v4
      - id: one
        name: "Say \${{ matrix.n }} with \${{ env.LEVEL }} to \${{ secrets.DEEP }}"
        env: { LEVEL: step }
        run: |
          echo "level $LEVEL from $FROM of $GITHUB_REPOSITORY, $CI"
          cat README.md
          echo "value=\${{ matrix.n }}" >> "$GITHUB_OUTPUT"
          printf 'long<<END\\na\\nb\\nEND\\n' >> "$FORGEJO_OUTPUT"
          echo "SET=later" >> "$GITHUB_ENV"
          mkdir -p bin && printf '#!/bin/sh\\necho found' > bin/tool && chmod +x bin/tool
          echo "$PWD/bin" >> "$GITHUB_PATH"
          echo "# what was done with \${{ secrets.DEEP }}" >> "$GITHUB_STEP_SUMMARY"
          echo "::error file=$PWD/src/a.ts,line=3,title=Broken::it is broken"
          git log --format=%s
      - run: echo "set $SET" && tool && echo "secret \${{ secrets.DEEP }}"
      - run: exit 3
        continue-on-error: true
      - run: echo never
        if: failure()
      - run: basename "$PWD"
        working-directory: bin
  ship:
    runs-on: host
    needs: test
    environment: { name: 'prod-\${{ needs.test.outputs.last }}', url: 'https://\${{ steps.where.outputs.host }}/\${{ github.ref_name }}' }
    steps:
      - { id: where, run: 'echo "host=example.com" >> "$GITHUB_OUTPUT"; head -c 2000000 /dev/zero | tr "\\0" x >> "$GITHUB_STEP_SUMMARY"' }
      - run: echo 'got \${{ needs.test.outputs.last }} \${{ needs.test.result }} \${{ toJSON(needs.test.outputs.long) }}'
      - run: 'false'
      - run: echo skipped
      - run: echo "cleaned \${{ job.status }}"
        if: always()
  after:
    runs-on: host
    needs: ship
    if: failure()
    steps: [{ run: 'echo after failure' }]
  never:
    runs-on: host
    needs: ship
    if: success()
    steps: [{ run: 'echo never' }]
`

test('a workflow runs to its end: matrix, outputs, conditions, files for variables and paths', async () => {
  await using forge = await startForge({ runner: true })
  const repo = await forge.given.repo()
  await forge.as('alice').must('PUT', `${repo.api}/actions/secrets/DEEP`, { data: 'very-secret' })
  await commitFiles(forge, repo.api, { '.forgejo/workflows/w.yml': whole }, { message: 'the message' })
  assert.deepEqual(await jobsOf(forge, repo.api), [
    'test (1) success',
    'test (2) success',
    'ship failure',
    'after success',
    'never skipped',
  ])
  const first = await logOf(forge, repo.api, 'test (1)')
  for (const part of [
    'level step from main of alice/',
    ', true\n',
    'the message\n',
    'set later\n',
    'found\n',
    'secret ***\n',
    '##[error]the process ended with exit code 3\n',
    '\nbin\n',
  ]) {
    assert.ok(first.includes(part), `${part} is not in\n${first}`)
  }
  assert.equal(first.includes('never'), false)
  const ship = await logOf(forge, repo.api, 'ship')
  assert.match(ship, /^got 2 success "a\\nb"$/m)
  assert.match(ship, /^cleaned failure$/m)
  assert.equal(ship.includes('skipped'), false)
  const alice = forge.as('alice')
  const [run] = (await alice.must('GET', `${repo.api}/actions/runs?limit=50`)).json.workflow_runs
  const { jobs } = (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json
  assert.deepEqual(
    jobs[0].steps.map(({ name }: { name: string }) => name),
    [
      'Run actions/checkout@v4',
      'Say 1 with step to ***',
      'Run echo "set $SET" && tool && echo "secret ***"',
      'Run exit 3',
      'Run echo never',
      'Run basename "$PWD"',
    ],
  )
  const summary = (await alice.must('GET', `${repo.api}/actions/jobs/${jobs[0].id}/summary`)).json
  assert.equal(summary.steps.length, 1)
  assert.deepEqual([summary.steps[0].number, summary.steps[0].content], [1, '# what was done with ***\n'])
  const annotations = (await alice.must('GET', `${repo.api}/actions/jobs/${jobs[0].id}/annotations`)).json
  assert.deepEqual(
    annotations.map((each: Record<string, unknown>) =>
      [each['path'], each['start_line'], each['title'], each['message']].map(String).join(' '),
    ),
    ['src/a.ts 3 Broken it is broken', ' null  the process ended with exit code 3'],
  )
  const ofShip = jobs.find(({ job_key: key }: { job_key: string }) => key === 'ship')
  assert.deepEqual(ofShip.environment, { name: 'prod-2', url: 'https://example.com/main' })
  assert.deepEqual((await alice.must('GET', `${repo.api}/actions/jobs/${ofShip.id}/summary`)).json.steps, [])
  assert.match(ship, /##\[error\]the summary is not kept: a step has at most 1048576 bytes/)
})

const composite = `name: greet
inputs: { who: { default: nobody }, loud: { required: false } }
outputs: { said: { value: '\${{ steps.say.outputs.text }}' } }
runs:
  using: composite
  steps:
    - id: say
      shell: bash
      run: |
        echo "hello \${{ inputs.who }} from $(basename "$GITHUB_ACTION_PATH")"
        echo "text=\${{ inputs.who }}!" >> "$GITHUB_OUTPUT"
`
const script = `import { appendFileSync } from 'node:fs'
console.log('main got ' + process.env.INPUT_WHO + process.env.STATE_KEPT)
console.log('::add-mask::hidden-value')
console.log('now hidden-value')
console.log('::warning::beware')
console.log('::stop-commands::stop')
console.log('::set-output name=given::no')
console.log('::stop::')
appendFileSync(process.env.GITHUB_OUTPUT, 'given=by-node\\n')
appendFileSync(process.env.GITHUB_STATE, 'KEPT=kept\\n')
`

test('actions: local, composite and JavaScript ones with post steps, from repositories of the forge', async () => {
  await using forge = await startForge({ runner: true })
  const shared = await forge.given.repo({ owner: 'alice', name: 'shared' })
  await commitFiles(forge, shared.api, {
    'js/action.yml': 'inputs: { who: { default: you } }\nruns: { using: node20, main: main.mjs, post: post.mjs }\n',
    'js/main.mjs': script,
    'js/post.mjs': "console.log('post has ' + process.env.STATE_KEPT)\n",
  })
  await forge.as('alice').must('POST', `${shared.api}/tags`, { tag_name: 'v1', target: 'main' })
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    'greet/action.yml': composite,
    '.forgejo/workflows/w.yml': `on: push
jobs:
  use:
    runs-on: host
    steps:
      - uses: actions/checkout@v4
      - { id: local, uses: ./greet, with: { who: '\${{ github.actor }}' } }
      - { id: js, uses: alice/shared/js@v1 }
      - run: echo "outputs \${{ steps.local.outputs.said }} \${{ steps.js.outputs.given }}"
  refused:
    runs-on: host
    steps:
      - { uses: 'docker://alpine:3', continue-on-error: true }
      - { uses: 'https://example.com/some/action@v1', continue-on-error: true }
      - { uses: alice/shared/none@v1, continue-on-error: true }
      - { uses: 'alice/shared/js@--upload-pack=touch \${{ github.workspace }}/taken;', continue-on-error: true }
      - { uses: 'alice/shared/js@..', continue-on-error: true }
      - { uses: actions/checkout@v4, with: { ref: '--upload-pack=touch taken;' }, continue-on-error: true }
      - { uses: actions/checkout@v4, with: { ref: 'main:refs/heads/taken' }, continue-on-error: true }
      - { uses: actions/checkout@v4, with: { repository: 'alice/shared/../..' }, continue-on-error: true }
      - name: look
        run: if [ -e taken ] || git rev-parse --verify --quiet refs/heads/taken; then echo "something was taken"; fi
      - { uses: alice/nothing@v1 }
  boxed:
    runs-on: host
    container: alpine
    steps: [{ run: echo never }]
`,
  })
  assert.deepEqual(await jobsOf(forge, repo.api), ['use success', 'refused failure', 'boxed failure'])
  const log = await logOf(forge, repo.api, 'use')
  for (const part of [
    'hello alice from greet\n',
    'main got youundefined\n',
    'now ***\n',
    '::warning::beware\n',
    'outputs alice! by-node\n',
    'post has kept\n',
  ]) {
    assert.ok(log.includes(part), `${part} is not in\n${log}`)
  }
  const refused = await logOf(forge, repo.api, 'refused')
  assert.match(refused, /no containers, which `docker:\/\/` needs/)
  assert.match(refused, /example\.com\/some\/action@v1`: this runner fetches actions only from/)
  assert.match(refused, /the action has no action\.yml/)
  for (const name of ['--upload-pack=touch [^"]+', '\\.\\.', '--upload-pack=touch taken;', 'main:refs/heads/taken']) {
    assert.match(refused, new RegExp(`"${name}" is not a valid commit`))
  }
  assert.match(refused, /repository "alice\/shared\/\.\.\/\.\.": write/)
  assert.doesNotMatch(refused, /something was taken/)
  assert.match(await logOf(forge, repo.api, 'boxed'), /no containers/)
})

/** Waits until a file exists. */
const appeared = (path: string): Promise<void> => until(() => existsSync(path), path)

/** Returns whether a process runs. A zombie process does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('a cancelled run ends all its processes and runs steps with always()', async () => {
  await using forge = await startForge({ runner: true })
  const repo = await forge.given.repo()
  const sign = join(tmpdir(), `ingot-runner-test-${process.pid}`)
  const made = commitFiles(forge, repo.api, {
    '.forgejo/workflows/w.yml': `on: push
jobs:
  long:
    runs-on: host
    steps:
      - run: |
          setsid sleep 1000 & echo $! > ${sign}.setsid
          sleep 1000 & echo $! > ${sign}.child
          touch ${sign}.begun
          wait
      - run: echo not-this
      - if: cancelled()
        run: echo "it was \${{ job.status }}"
`,
  })
  await appeared(`${sign}.begun`)
  const alice = forge.as('alice')
  const [run] = (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  await alice.must('POST', `${repo.api}/actions/runs/${run.id}/cancel`)
  await made
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), ['push w.yml main cancelled'])
  const log = await logOf(forge, repo.api, 'long')
  assert.match(log, /^it was cancelled$/m)
  assert.equal(log.includes('not-this'), false)
  for (const name of ['child', 'setsid']) {
    const pid = Number(readFileSync(`${sign}.${name}`, 'utf8'))
    assert.equal(isAlive(pid), false, `${name} ${pid} lives on`)
  }
})

test('a checkout stores its token in a private file for later steps, and refuses unsupported inputs', async () => {
  await using forge = await startForge({ runner: true })
  const repo = await forge.given.repo({ private: true })
  await commitFiles(forge, repo.api, {
    '.forgejo/workflows/w.yml': `on: push
jobs:
  kept:
    runs-on: host
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@v4
      - run: |
          git ls-remote origin > refs && grep -c refs/heads/main refs
          ls -l .git/ingot-token | cut -c1-10
          grep -ci authorization .git/config || echo nothing beside it
          git config --get-all include.path
  given-up:
    runs-on: host
    steps:
      - { uses: actions/checkout@v4, with: { persist-credentials: false } }
      - run: git ls-remote origin
        env: { GIT_TERMINAL_PROMPT: '0' }
  submodules: { runs-on: host, steps: [{ uses: actions/checkout@v4, with: { submodules: recursive } }] }
  lfs: { runs-on: host, steps: [{ uses: actions/checkout@v4, with: { lfs: true } }] }
  plain: { runs-on: host, steps: [{ uses: actions/checkout@v4, with: { lfs: false, submodules: 'false' } }] }
`,
  })
  assert.deepEqual(await jobsOf(forge, repo.api), [
    'kept success',
    'given-up failure',
    'submodules failure',
    'lfs failure',
    'plain success',
  ])
  const log = await logOf(forge, repo.api, 'kept')
  assert.match(log, /^1\n-rw-------\n0\nnothing beside it\ningot-token$/m)
  assert.match(
    await logOf(forge, repo.api, 'submodules'),
    /does not support `submodules`; run `git submodule update --init/,
  )
  assert.match(await logOf(forge, repo.api, 'lfs'), /does not support `lfs`; run `git lfs pull/)
})

test('time limits end a step and a job, and large command files are refused', async () => {
  await using forge = await startForge({ runner: true })
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.forgejo/workflows/w.yml': `on: push
jobs:
  step:
    runs-on: host
    steps:
      - { run: sleep 1000, timeout-minutes: 0.005, continue-on-error: true }
      - { run: echo goes on }
      - { run: 'head -c 5000000 /dev/zero >> "$GITHUB_OUTPUT"' }
  job:
    runs-on: host
    timeout-minutes: 0.01
    steps: [{ run: sleep 1000 }, { if: always(), run: echo in any case }]
  wrong:
    runs-on: host
    steps: [{ run: 'echo \${{ nothing.there }}' }]
`,
  })
  assert.deepEqual(await jobsOf(forge, repo.api), ['step failure', 'job failure', 'wrong failure'])
  const log = await logOf(forge, repo.api, 'step')
  assert.match(log, /the step took longer than 0.005 minutes/)
  assert.match(log, /^goes on$/m)
  assert.match(log, /the file OUTPUT is larger than/)
  assert.match(await logOf(forge, repo.api, 'job'), /the job took longer than 0.01 minutes\n(?:.*\n)*in any case/)
  assert.match(await logOf(forge, repo.api, 'wrong'), /##\[error\].*nothing/)
})
