import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow, type TestTask } from '../actions/actions.test-support.ts'
import { cacheCalls } from '../actions/caches/caches.test-support.ts'
import { Clone } from '../testing/clone.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'

const folder = '.gitea/workflows'

/** Each trigger that an attacker can use. */
const everything = workflow(
  `
  pull_request: { types: ['*'] }
  pull_request_review:
  pull_request_review_comment:
  pull_request_comment:
  issue_comment:
  workflow_dispatch:
  schedule: [{ cron: '@every 1h' }]
`,
)

/** Starts a forge with a repository of alice, and the account `mallory`, who can only read it. */
async function startAttack() {
  const forge = await startForge({ users: ['mallory', 'wendy'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'target' })
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/DEPLOY`, { data: 'the deploy key' })
  await alice.must('PUT', `${repo.api}/collaborators/wendy`, { permission: 'write' })
  return { forge, repo, alice, mallory: forge.as('mallory') }
}

/** Opens a pull request from a fork with these files. */
async function openFromFork(
  forge: Forge,
  repo: GivenRepo,
  files: Readonly<Record<string, string | undefined>>,
  { as = 'mallory', branch = 'topic' } = {},
): Promise<{ readonly number: number; readonly head: string; readonly forkApi: string }> {
  const known = await forge.as(as).get(`/repos/${as}/fork-of-${as}`)
  if (known.status === 404) await forge.as(as).must('POST', `${repo.api}/forks`, { name: `fork-of-${as}` })
  const forkApi = `/repos/${as}/fork-of-${as}`
  const head = await commitFiles(forge, forkApi, files, { newBranch: branch, as })
  const { json } = await forge
    .as(as)
    .must('POST', `${repo.api}/pulls`, { head: `${as}/fork-of-${as}:${branch}`, base: 'main', title: branch })
  await forge.settle()
  return { number: json.number, head, forkApi }
}

interface ShownRun {
  readonly id: number
  readonly event: string
  readonly workflow_id: string
  readonly head_sha: string
  readonly head_branch: string
  readonly status: string
}

const runsOf = async (forge: Forge, repo: GivenRepo): Promise<readonly ShownRun[]> =>
  (await forge.as('alice').must('GET', `${repo.api}/actions/runs?limit=50`)).json.workflow_runs

const jobStatuses = async (forge: Forge, repo: GivenRepo, runId: number): Promise<readonly string[]> =>
  (await forge.as('alice').must('GET', `${repo.api}/actions/runs/${runId}/jobs`)).json.jobs.map(
    (job: { status: string }) => job.status,
  )

/** Fetches and finishes each waiting task. */
async function drain(runner: TestRunner): Promise<readonly TestTask[]> {
  const tasks: TestTask[] = []
  for (let task = await runner.fetch(); task; task = await runner.fetch()) {
    tasks.push(task)
    await runner.finish(task)
  }
  return tasks
}

const approve = (forge: Forge, repo: GivenRepo, runId: number) =>
  forge.as('alice').post(`${repo.api}/actions/runs/${runId}/approve`)

test('a commit of a fork gets no secrets and waits for approval with each trigger', async () => {
  const { forge, repo, alice, mallory } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { readme: '1' })
  await commitFiles(forge, repo.api, { own: '1' }, { newBranch: 'own' })
  const own = (await alice.must('POST', `${repo.api}/pulls`, { head: 'own', base: 'main', title: 'own' })).json.number
  const { number, head } = await openFromFork(forge, repo, { [`${folder}/evil.yml`]: everything })
  // A review of a pull request of the repository itself names the commit of the fork.
  for (const event of ['COMMENT', 'APPROVED']) {
    await mallory.post(`${repo.api}/pulls/${own}/reviews`, { commit_id: head, event, body: 'see' })
  }
  // Reviews of the pull request from the fork, also by writers.
  for (const as of ['mallory', 'alice']) {
    await forge.as(as).must('POST', `${repo.api}/pulls/${number}/reviews`, { event: 'COMMENT', body: 'see' })
  }
  await alice.must('POST', `${repo.api}/pulls/${number}/reviews`, { event: 'APPROVED', body: 'good' })
  // Actions of maintainers on the pull request.
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'x', color: '#112233' })).json
  await alice.must('POST', `${repo.api}/issues/${number}/labels`, { labels: [label.id] })
  await alice.must('POST', `${repo.api}/issues/${number}/comments`, { body: 'thank you' })
  await alice.must('PATCH', `${repo.api}/pulls/${number}`, { title: 'better' })
  await alice.must('PATCH', `${repo.api}/pulls/${number}`, { state: 'closed' })
  await alice.must('PATCH', `${repo.api}/pulls/${number}`, { state: 'open' })
  await forge.settle()
  const dispatch = (ref: string) => alice.post(`${repo.api}/actions/workflows/evil.yml/dispatches`, { ref })
  for (const ref of [head, head.slice(0, 10), `refs/pull/${number}/head`, `pull/${number}/head`]) {
    assert.equal((await dispatch(ref)).status, 404, ref)
  }
  await forge.settle()
  const runs = (await runsOf(forge, repo)).filter(({ workflow_id }) => workflow_id === 'evil.yml')
  assert.ok(runs.length >= 6, String(runs.length))
  for (const run of runs) {
    assert.equal(run.head_sha, head)
    const statuses = await jobStatuses(forge, repo, run.id)
    assert.ok(
      statuses.every((status) => status === 'blocked' || status === 'cancelled'),
      `${run.event}: ${statuses.join()}`,
    )
  }
  assert.deepEqual(await drain(runner), [])
  for (const { id } of runs) assert.ok((await approve(forge, repo, id)).status < 300)
  const tasks = await drain(runner)
  assert.ok(tasks.length > 0)
  for (const task of tasks) {
    assert.equal(JSON.stringify(task).includes('the deploy key'), false, String(task.context['event_name']))
    assert.equal(task.context['id_token_request_url'], undefined)
  }
})

test('the approval depends on the author of the pull request, not on the person who acted', async () => {
  const { forge, repo, alice } = await startAttack()
  await using _ = forge
  await commitFiles(forge, repo.api, { [`${folder}/p.yml`]: workflow("{ pull_request: { types: ['*'] } }") })
  const first = await openFromFork(forge, repo, { one: '1' })
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'x', color: '#112233' })).json
  await forge.as('wendy').must('POST', `${repo.api}/issues/${first.number}/labels`, { labels: [label.id] })
  await forge.settle()
  const runs = await runsOf(forge, repo)
  assert.equal(runs.length, 2)
  for (const { id } of runs) assert.deepEqual(await jobStatuses(forge, repo, id), ['blocked'])
  // The run that wendy caused is approved, which approves mallory as the author.
  assert.ok((await approve(forge, repo, runs[1]!.id)).status < 300)
  await openFromFork(forge, repo, { two: '1' }, { branch: 'second' })
  assert.deepEqual(await jobStatuses(forge, repo, (await runsOf(forge, repo)).at(-1)!.id), ['waiting'])
  // A writer's pull request from a fork needs no approval.
  const theirs = await openFromFork(forge, repo, { three: '1' }, { as: 'wendy' })
  await forge.as('wendy').must('POST', `${repo.api}/issues/${theirs.number}/labels`, { labels: [label.id] })
  await forge.settle()
  for (const { id } of (await runsOf(forge, repo)).slice(-2)) {
    assert.deepEqual(await jobStatuses(forge, repo, id), ['waiting'])
  }
})

test('a run calls public workflows only, and not private ones of the person who acted', async () => {
  const { forge, repo, alice } = await startAttack()
  await using _ = forge
  const hidden = await forge.given.repo({ owner: 'alice', name: 'hidden', private: true })
  const open = await forge.given.repo({ owner: 'alice', name: 'open' })
  const called = workflow('workflow_call')
  for (const { api } of [hidden, open]) await commitFiles(forge, api, { [`${folder}/c.yml`]: called })
  const imposter = await openFromFork(forge, repo, { [`${folder}/c.yml`]: called })
  const calling = (name: string, ref = 'main') =>
    workflow("{ pull_request: { types: ['*'] }, push: }", `x: { uses: alice/${name}/${folder}/c.yml@${ref} }`)
  const { number } = await openFromFork(
    forge,
    repo,
    { [`${folder}/h.yml`]: calling('hidden'), [`${folder}/o.yml`]: calling('open') },
    { branch: 'reads' },
  )
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'x', color: '#112233' })).json
  await alice.must('POST', `${repo.api}/issues/${number}/labels`, { labels: [label.id] })
  // A push by a person who can read the private repository does not help.
  await commitFiles(forge, repo.api, { [`${folder}/h.yml`]: calling('hidden') })
  await commitFiles(forge, repo.api, { [`${folder}/i.yml`]: calling('target', imposter.head) })
  const runs = await runsOf(forge, repo)
  const found = async (file: string) =>
    Promise.all(
      runs
        .filter(({ workflow_id }) => workflow_id === file)
        .map(async ({ id, status }) => `${status} ${(await jobStatuses(forge, repo, id)).length}`),
    )
  assert.deepEqual(new Set(await found('h.yml')), new Set(['failure 1']))
  assert.deepEqual(new Set(await found('o.yml')), new Set(['waiting 2']))
  assert.deepEqual(new Set(await found('i.yml')), new Set(['failure 1']), 'a commit of a fork cannot be called')
})

test('an untrusted run neither cancels nor delays trusted runs of the same concurrency group', async () => {
  const { forge, repo } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const grouped = (on: string, cancels: boolean) =>
    `concurrency: { group: deploy, cancel-in-progress: ${cancels} }\n${workflow(on)}`
  await commitFiles(forge, repo.api, { [`${folder}/deploy.yml`]: grouped('push', false) })
  const deploy = await runner.must()
  for (const cancels of [true, false]) {
    await openFromFork(
      forge,
      repo,
      { [`${folder}/evil.yml`]: grouped('pull_request', cancels) },
      { branch: `cancels-${cancels}` },
    )
  }
  const [first, ...evil] = await runsOf(forge, repo)
  assert.equal(first!.status, 'running')
  assert.equal(evil.length, 2)
  for (const { id } of evil) assert.ok((await approve(forge, repo, id)).status < 300)
  assert.equal((await runsOf(forge, repo))[0]!.status, 'running', 'nor does an approval')
  for (const { id } of evil) assert.deepEqual(await jobStatuses(forge, repo, id), ['waiting'], 'each has its own group')
  await runner.finish(deploy)
  await commitFiles(forge, repo.api, { more: '1' })
  assert.deepEqual(await jobStatuses(forge, repo, (await runsOf(forge, repo)).at(-1)!.id), ['waiting'])
})

test('a run that waits for approval enters its concurrency group with the approval', async () => {
  const { forge, repo } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, {
    [`${folder}/p.yml`]: `concurrency: { group: g, cancel-in-progress: true }\n${workflow('{ pull_request: { types: [opened, edited] } }')}`,
  })
  const { number } = await openFromFork(forge, repo, { a: '1' })
  const [opened] = await runsOf(forge, repo)
  assert.ok((await approve(forge, repo, opened!.id)).status < 300)
  const task = await runner.must()
  // Runs of a restricted author always wait.
  const account = { source_id: 0, login_name: 'mallory', restricted: true }
  await forge.as('root').must('PATCH', '/admin/users/mallory', account)
  await forge.as('alice').must('PATCH', `${repo.api}/pulls/${number}`, { title: 'edited' })
  await forge.settle()
  const [before, edited] = await runsOf(forge, repo)
  assert.deepEqual([before!.status, edited!.status], ['running', 'waiting'])
  assert.deepEqual(await jobStatuses(forge, repo, edited!.id), ['blocked'])
  assert.ok((await approve(forge, repo, edited!.id)).status < 300)
  assert.equal((await runsOf(forge, repo))[0]!.status, 'cancelled')
  assert.notEqual((await runner.must()).id, task.id)
})

test('a trusted run never restores what an untrusted run saved', async () => {
  const { forge, repo } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, {
    [`${folder}/p.yml`]: workflow("{ pull_request: { types: ['*'] } }"),
    [`${folder}/t.yml`]: workflow("{ pull_request_target: { types: ['*'] } }"),
    [`${folder}/m.yml`]: workflow('push'),
  })
  const main = await runner.must()
  assert.equal(await cacheCalls(forge, main).save('base', 'of main'), true)
  await runner.finish(main)
  await openFromFork(forge, repo, { a: '1' })
  const target = await runner.must()
  assert.equal(target.context['event_name'], 'pull_request_target')
  const run = (await runsOf(forge, repo)).find(({ event }) => event === 'pull_request')
  assert.ok((await approve(forge, repo, run!.id)).status < 300)
  const head = await runner.must()
  assert.equal(head.context['event_name'], 'pull_request')
  const [evil, trusted] = [cacheCalls(forge, head), cacheCalls(forge, target)]
  assert.equal(await evil.save('deps', 'poison'), true)
  assert.equal(await trusted.find(['deps', 'dep']), undefined)
  assert.equal(await evil.find(['deps']), 'deps poison')
  assert.equal(await evil.find(['base']), 'base of main')
  assert.equal(await trusted.save('deps', 'sound'), true, 'nor does it keep one from saving')
  assert.equal(await evil.find(['deps']), 'deps poison')
  assert.equal(await trusted.find(['deps']), 'deps sound')
})

test('a rerun of a cancelled run is not an approval, and a job cannot approve', async () => {
  const { forge, repo, alice } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, {
    [`${folder}/p.yml`]: workflow('pull_request'),
    [`${folder}/t.yml`]: workflow('pull_request_target'),
  })
  await openFromFork(forge, repo, { a: '1' })
  const { id } = (await runsOf(forge, repo)).find(({ event }) => event === 'pull_request')!
  const task = await runner.must()
  const job = forge.as('job', { token: task.context.token })
  assert.equal((await job.post(`${repo.api}/actions/runs/${id}/approve`)).status, 403)
  await alice.must('POST', `${repo.api}/actions/runs/${id}/cancel`)
  for (const again of ['rerun', 'rerun-failed-jobs']) {
    await alice.must('POST', `${repo.api}/actions/runs/${id}/${again}`)
    await forge.settle()
    assert.deepEqual(await jobStatuses(forge, repo, id), ['blocked'], again)
    assert.equal(await runner.fetch(), undefined)
    await alice.must('POST', `${repo.api}/actions/runs/${id}/cancel`)
  }
  await alice.must('POST', `${repo.api}/actions/runs/${id}/rerun`)
  assert.ok((await approve(forge, repo, id)).status < 300)
  const approved = await runner.must()
  assert.equal(JSON.stringify(approved).includes('the deploy key'), false)
  await runner.finish(approved)
  await alice.must('POST', `${repo.api}/actions/runs/${id}/rerun`)
  assert.equal(JSON.stringify(await runner.must()).includes('the deploy key'), false, 'a further attempt gets no more')
})

test('comments on a pull request run the default branch, with its rights', async () => {
  const { forge, repo, mallory } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const head = await commitFiles(forge, repo.api, { [`${folder}/c.yml`]: workflow('pull_request_comment') })
  const { number } = await openFromFork(forge, repo, { [`${folder}/evil.yml`]: everything })
  await drain(runner)
  await mallory.must('POST', `${repo.api}/issues/${number}/comments`, { body: 'hello' })
  await forge.settle()
  const task = await runner.must()
  assert.deepEqual(
    [task.context['event_name'], task.context['workflow'], task.context['sha'], task.context['ref']],
    ['pull_request_comment', 'c.yml', head, 'refs/heads/main'],
  )
  assert.equal(await runner.fetch(), undefined)
})

test('a job reaches only its own run, and its tokens end with it', async () => {
  const { forge, repo } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, {
    [`${folder}/p.yml`]: workflow('pull_request'),
    [`${folder}/t.yml`]: workflow('pull_request_target'),
  })
  await openFromFork(forge, repo, { a: '1' })
  const run = (await runsOf(forge, repo)).find(({ event }) => event === 'pull_request')
  const trusted = await runner.must()
  assert.ok((await approve(forge, repo, run!.id)).status < 300)
  const evil = await runner.must()
  const list = (task: TestTask, runId: unknown) =>
    fetch(`${forge.url}/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${task.context.gitea_runtime_token}` },
      body: JSON.stringify({ workflow_run_backend_id: String(runId) }),
    })
  assert.equal((await list(evil, trusted.context['run_id'])).status, 400)
  assert.equal((await list(trusted, evil.context['run_id'])).status, 400)
  await runner.finish(evil)
  const after = forge.as('job', { token: evil.context.token })
  assert.equal((await after.get(repo.api)).status, 401)
  assert.equal((await list(evil, evil.context['run_id'])).status, 401)
})

test('a pull request from a fork does not keep the runs of another pull request with the same commit from starting', async () => {
  const { forge, repo, alice, mallory } = await startAttack()
  await using _ = forge
  await commitFiles(forge, repo.api, { [`${folder}/p.yml`]: workflow('pull_request') })
  await commitFiles(forge, repo.api, { one: '1' }, { newBranch: 'own' })
  await alice.must('POST', `${repo.api}/pulls`, { head: 'own', base: 'main', title: 'own' })
  const next = await commitFiles(forge, repo.api, { two: '2' }, { branch: 'own', newBranch: 'next' })
  await mallory.must('POST', `${repo.api}/forks`, { name: 'mine' })
  await mallory.must('POST', `${repo.api}/pulls`, { head: 'mallory/mine:next', base: 'main', title: 'same' })
  await forge.settle()
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.must('push', 'origin', 'origin/next:refs/heads/own')
  await forge.settle()
  const runs = (await runsOf(forge, repo)).filter(({ head_sha }) => head_sha === next)
  assert.equal(runs.length, 2)
  assert.deepEqual(await jobStatuses(forge, repo, runs[1]!.id), ['waiting'])
})

test('an untrusted run leaves the statuses of trusted runs, people and services for the same commit', async () => {
  const { forge, repo, alice, mallory } = await startAttack()
  await using _ = forge
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const jobs = 'check: { runs-on: ubuntu-latest, steps: [{ run: exit }] }'
  const ci = `name: ci\n${workflow('pull_request', jobs)}`
  const other = `name: other\n${workflow('pull_request', jobs)}`
  const head = await commitFiles(forge, repo.api, { [`${folder}/ci.yml`]: ci }, { newBranch: 'own' })
  await alice.must('POST', `${repo.api}/pulls`, { head: 'own', base: 'main', title: 'own' })
  await forge.settle()
  const statuses = async (sha: string) =>
    (await alice.must('GET', `${repo.api}/commits/${sha}/status`)).json.statuses.map(
      ({ context, status }: { context: string; status: string }) => `${context}: ${status}`,
    )
  const context = 'ci / check (pull_request)'
  assert.deepEqual(await statuses(head), [`${context}: pending`])
  await runner.finish(await runner.must(), 'FAILURE')
  assert.deepEqual(await statuses(head), [`${context}: failure`])

  // The same commit as the head of a pull request from a fork.
  const forked = (await mallory.must('POST', `${repo.api}/forks`, { name: 'fork' })).json
  const request = { head: `mallory/${forked.name}:own`, base: 'main', title: 'mine' }
  await mallory.must('POST', `${repo.api}/pulls`, request)
  await forge.settle()
  const waiting = (await runsOf(forge, repo)).find(({ status }) => status === 'blocked' || status === 'waiting')
  assert.equal(waiting?.head_sha, head)
  assert.deepEqual(await statuses(head), [`${context}: failure`], 'while the run waits for approval')
  await approve(forge, repo, waiting.id)
  await runner.finish(await runner.must())
  assert.deepEqual(await statuses(head), [`${context}: failure`], 'after the run succeeded')

  // A commit of the fork: its run writes statuses, but not in a context that a service wrote.
  const files = { [`${folder}/ci.yml`]: ci, [`${folder}/other.yml`]: other, more: 'x' }
  const own = await commitFiles(forge, '/repos/mallory/fork', files, { newBranch: 'more', as: 'mallory' })
  const written = { context: 'other / check (pull_request)', state: 'failure' }
  await mallory.must('POST', `${repo.api}/pulls`, { head: 'mallory/fork:more', base: 'main', title: 'more' })
  await forge.as('wendy').must('POST', `${repo.api}/statuses/${own}`, written)
  await forge.settle()
  await drain(runner)
  assert.deepEqual((await statuses(own)).toSorted(), [`${context}: success`, `${written.context}: failure`])
})
