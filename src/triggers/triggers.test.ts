import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, runsOf, TestRunner, workflow } from '../actions/actions.test-support.ts'
import { startForge } from '../testing/forge.ts'

test('pushes, tags and events of issues start matching workflows', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/push.yml': workflow('push'),
    '.gitea/workflows/issue.yml': workflow('{ issues: { types: [opened, labeled] }, issue_comment: }'),
    '.gitea/workflows/create.yml': workflow('[create, delete]'),
    '.github/workflows/hidden.yml': workflow('push'),
    '.gitea/workflows/sub/deep.yaml': workflow('push'),
  })
  assert.deepEqual(await runsOf(forge, repo.api), ['push push.yml main waiting', 'push sub/deep.yaml main waiting'])
  const issue = (await alice.must('POST', `${repo.api}/issues`, { title: 'one' })).json
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'x', color: '#aabbcc' })).json
  await alice.must('POST', `${repo.api}/issues/${issue.number}/labels`, { labels: [label.id] })
  await alice.must('DELETE', `${repo.api}/issues/${issue.number}/labels/${label.id}`)
  await alice.must('POST', `${repo.api}/issues/${issue.number}/comments`, { body: 'hm' })
  await forge.settle()
  assert.deepEqual((await runsOf(forge, repo.api)).slice(2), [
    'issues issue.yml main waiting',
    'issues issue.yml main waiting',
    'issue_comment issue.yml main waiting',
  ])
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1', target: 'main' })
  await alice.must('DELETE', `${repo.api}/tags/v1`)
  await forge.settle()
  assert.deepEqual((await runsOf(forge, repo.api)).slice(5).toSorted(), [
    'create create.yml v1 waiting',
    'delete create.yml main waiting',
    'push push.yml v1 waiting',
    'push sub/deep.yaml v1 waiting',
  ])
})

test('no workflow starts in repositories without the unit, and with a skip string in the message', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await commitFiles(forge, repo.api, { '.gitea/workflows/p.yml': workflow('push') }, { message: 'x [skip ci]' })
  assert.deepEqual(await runsOf(forge, repo.api), [])
  await alice.must('PATCH', repo.api, { has_actions: false })
  await commitFiles(forge, repo.api, { a: '1' })
  await alice.must('PATCH', repo.api, { has_actions: true })
  assert.deepEqual(await runsOf(forge, repo.api), [])
  await commitFiles(forge, repo.api, { b: '1' })
  assert.deepEqual(await runsOf(forge, repo.api), ['push p.yml main waiting'])
})

test('a skip string in the title or newest commit of a pull request skips its workflows; letter case counts', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const files = { '.gitea/workflows/p.yml': workflow('[pull_request, pull_request_target]') }
  await commitFiles(forge, repo.api, { ...files, '.gitea/workflows/i.yml': workflow('issues') })
  const pull = async (branch: string, title: string, message: string): Promise<string> => {
    await commitFiles(forge, repo.api, { [branch]: '1' }, { newBranch: branch, message })
    const { number } = (await alice.must('POST', `${repo.api}/pulls`, { head: branch, base: 'main', title })).json
    await forge.settle()
    return `#${number}`
  }
  const marks = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]']
  for (const [at, mark] of marks.entries()) await pull(`m${at}`, 'quiet', `change\n\nnothing to see ${mark}`)
  await pull('titled', 'not yet [no ci]', 'change')
  assert.deepEqual(await runsOf(forge, repo.api), [])
  const loud = await pull('loud', 'Loud [Skip CI]', 'change skip ci')
  const ours = [`pull_request p.yml ${loud} waiting`, `pull_request_target p.yml ${loud} waiting`]
  assert.deepEqual(await runsOf(forge, repo.api), ours)
  await commitFiles(forge, repo.api, { more: '1' }, { branch: 'loud', message: 'later [skip ci]' })
  assert.deepEqual(await runsOf(forge, repo.api), ours, 'what was pushed to it says so as well')
  await alice.must('POST', `${repo.api}/issues`, { title: 'an issue [skip ci]' })
  await forge.settle()
  assert.deepEqual((await runsOf(forge, repo.api)).slice(2), ['issues i.yml main waiting'], 'only these are skipped')
})

test('a workflow with hostile YAML makes a failed run and does not block the server', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/keys.yml': '? '.repeat(700) })
  assert.deepEqual(await runsOf(forge, repo.api), ['push keys.yml main failure'])
  assert.equal((await forge.as('alice').get('/version')).status, 200)
})

test('a workflow whose path patterns take too long makes a failed run', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const paths = Array.from({ length: 200 }, (_, at) => `'**a**a**a**a**a**a**b${at}*'`).join(', ')
  const files = Array.from({ length: 60 }, (_, at) => [`${'a'.repeat(200)}/${'a'.repeat(100)}${at}`, 'x'])
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/slow.yml': workflow(`{ push: { paths: [${paths}] } }`),
    ...Object.fromEntries(files),
  })
  assert.deepEqual(await runsOf(forge, repo.api), ['push slow.yml main failure'])
})

test('an unreadable file makes a failed run with a problem', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, { '.gitea/workflows/b.yml': 'on: push\njobs: [\n' })
  const [run] = (await forge.as('alice').get(`${repo.api}/actions/runs`)).json.workflow_runs
  assert.equal(run.status, 'failure')
  assert.match(run.problem, /^line /)
})

test('the run of a pull request from a fork waits for an approval, a pull_request_target run does not', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/p.yml': workflow('pull_request'),
    '.gitea/workflows/t.yml': workflow('pull_request_target'),
  })
  const bob = forge.as('bob')
  const fork = (await bob.must('POST', `${repo.api}/forks`, { name: 'mine' })).json
  const forkApi = `/repos/${fork.full_name}`
  // The base's workflow is read from the base branch.
  await commitFiles(
    forge,
    forkApi,
    { '.gitea/workflows/new.yml': workflow('pull_request_target'), b: '1' },
    { newBranch: 'topic', as: 'bob' },
  )
  await bob.must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'x' })
  await forge.settle()
  const runs = await forge.services.db.selectFrom('action_run').selectAll().orderBy('id').execute()
  const ours = runs.filter(({ event }) => event.startsWith('pull_request'))
  assert.deepEqual(
    ours.map((run) => [run.event, run.workflow_id, run.needs_approval, run.is_foreign, run.head]),
    [
      ['pull_request', 'p.yml', true, true, '#1'],
      ['pull_request_target', 't.yml', false, false, '#1'],
    ],
  )
  const jobs = await forge.as('alice').get(`${repo.api}/actions/runners/jobs?labels=ubuntu-latest`)
  assert.deepEqual(
    jobs.json.map((job: { name: string }) => job.name),
    ['build'],
    'only the job of the base',
  )
})

test('an approved author needs no further approval, except a restricted one, and forks get no secrets', async () => {
  await using forge = await startForge({ users: ['bob', 'carol'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/HUSH`, { data: 'hidden' })
  await commitFiles(forge, repo.api, { '.gitea/workflows/p.yml': workflow('pull_request') })
  const forkOf = async (name: string): Promise<string> =>
    `/repos/${(await forge.as(name).must('POST', `${repo.api}/forks`, {})).json.full_name}`
  const forks = { bob: await forkOf('bob'), carol: await forkOf('carol') }
  const open = async (name: 'bob' | 'carol', branch: string): Promise<{ id: number; isWaiting: boolean }> => {
    await commitFiles(forge, forks[name], { [branch]: '1' }, { newBranch: branch, as: name })
    await forge.as(name).must('POST', `${repo.api}/pulls`, { head: `${name}:${branch}`, base: 'main', title: branch })
    await forge.settle()
    const { workflow_runs: runs } = (await alice.must('GET', `${repo.api}/actions/runs?limit=50`)).json
    const { id } = runs.at(-1)
    const { jobs } = (await alice.must('GET', `${repo.api}/actions/runs/${id}/jobs`)).json
    return { id, isWaiting: jobs[0].status === 'waiting' }
  }
  const first = await open('bob', 'one')
  assert.equal(first.isWaiting, false)
  const approve = (as: string) => forge.as(as).post(`${repo.api}/actions/runs/${first.id}/approve`)
  assert.equal((await approve('bob')).status, 403, 'an author cannot approve the own run')
  assert.ok((await approve('alice')).status < 300)
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const task = await runner.must()
  assert.deepEqual(Object.keys(task.secrets).toSorted(), ['FORGEJO_TOKEN', 'GITEA_TOKEN', 'GITHUB_TOKEN'])
  const job = forge.as('job', { token: task.context.token })
  assert.equal((await job.post(`${repo.api}/issues`, { title: 'x' })).status, 403, 'its token only reads')
  assert.equal((await open('bob', 'two')).isWaiting, true, 'bob is known')
  assert.equal((await open('carol', 'three')).isWaiting, false, 'carol is not')
  await forge.as('root').must('PATCH', '/admin/users/bob', { source_id: 0, login_name: 'bob', restricted: true })
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  assert.equal((await open('bob', 'four')).isWaiting, false, 'restricted ones always wait')
})

test('a due schedule starts one run of the default branch', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/s.yml': workflow("{ schedule: [{ cron: '@every 1h' }, { cron: '0 0 30 2 *' }] }"),
  })
  const run = () => forge.as('root').must('POST', '/admin/cron/start_schedule_tasks')
  await run()
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), [], 'not before its time')
  const rows = await forge.services.db.selectFrom('action_schedule').select('spec').execute()
  assert.deepEqual(rows, [{ spec: '@every 1h' }], 'what never comes is not kept')
  forge.clock.advance(3_601_000)
  await run()
  await run()
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), ['schedule s.yml main waiting'])
})

test('events of a repository without workflows create no jobs until a workflow is added', async () => {
  await using forge = await startForge({ settings: { metrics: { ENABLED: true } } })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const looksOf = async (act: () => Promise<unknown>): Promise<number> => {
    const before = await looks()
    await act()
    await forge.settle()
    return (await looks()) - before
  }
  const looks = async (): Promise<number> => {
    const { text } = await forge.guest.get('/metrics', { site: true })
    return [...text.matchAll(/^ingot_job_duration_seconds_count\{job="startWorkflows".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  }
  const open = () => alice.must('POST', `${repo.api}/issues`, { title: 'one' })
  assert.equal(await looksOf(open), 1)
  assert.equal(await looksOf(open), 0)
  const empty = await forge.given.repo({ name: 'empty', auto_init: false })
  assert.equal(await looksOf(() => alice.must('POST', `${empty.api}/issues`, { title: 'one' })), 0)
  assert.equal(await looksOf(() => alice.must('POST', `${repo.api}/issues/1/comments`, { body: 'hm' })), 0)

  const file = { '.gitea/workflows/i.yml': workflow('issues') }
  await commitFiles(forge, repo.api, file, { newBranch: 'other' })
  assert.equal(await looksOf(open), 0)
  await alice.must('PATCH', repo.api, { default_branch: 'other' })
  await open()
  await forge.settle()
  assert.deepEqual(await runsOf(forge, repo.api), ['issues i.yml other waiting'])
  await alice.must('PATCH', repo.api, { default_branch: 'main' })
  await open()
  await commitFiles(forge, repo.api, file)
  await open()
  await forge.settle()
  assert.deepEqual((await runsOf(forge, repo.api)).slice(1), ['issues i.yml main waiting'])
})

test('a run after the merge has the merge commit as its head', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const types = "{ types: ['closed'] }"
  await commitFiles(forge, repo.api, {
    '.gitea/workflows/p.yml': workflow(`{ pull_request: ${types}, pull_request_target: ${types} }`),
  })
  const runs = async () => (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  for (const branch of ['merged', 'dropped']) {
    await commitFiles(forge, repo.api, { [branch]: '1' }, { newBranch: branch })
    await alice.must('POST', `${repo.api}/pulls`, { head: branch, base: 'main', title: branch })
  }
  await alice.must('POST', `${repo.api}/pulls/1/merge`, { Do: 'merge' })
  await alice.must('PATCH', `${repo.api}/pulls/2`, { state: 'closed' })
  await forge.settle()
  const merge = (await alice.must('GET', `${repo.api}/pulls/1`)).json.merge_commit_sha
  const dropped = (await alice.must('GET', `${repo.api}/pulls/2`)).json.head.sha
  assert.deepEqual(
    (await runs()).map((run: Record<string, string>) => [run['head_branch'], run['head_sha'], run['event']]),
    [
      [merge, merge, 'pull_request'],
      [merge, merge, 'pull_request_target'],
      ['#2', dropped, 'pull_request'],
      ['#2', dropped, 'pull_request_target'],
    ],
  )
})

test('two webhook events of one change start two runs, which do not replace each other', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(
    forge,
    repo.api,
    {
      '.gitea/workflows/a.yml': workflow('[create, push, pull_request, pull_request_target]'),
    },
    { message: 'begin [skip ci]' },
  )
  await commitFiles(forge, repo.api, { a: '1' }, { newBranch: 'topic' })
  assert.deepEqual((await runsOf(forge, repo.api)).toSorted(), [
    'create a.yml topic waiting',
    'push a.yml topic waiting',
  ])
  await forge.as('alice').must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'x' })
  await commitFiles(forge, repo.api, { b: '1' }, { branch: 'topic' })
  assert.deepEqual((await runsOf(forge, repo.api)).slice(2), [
    'pull_request a.yml #1 waiting',
    'pull_request_target a.yml #1 waiting',
    'push a.yml topic waiting',
    'pull_request a.yml #1 waiting',
    'pull_request_target a.yml #1 waiting',
  ])
})
