import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow } from '../../actions/actions.test-support.ts'
import { startForge } from '../../testing/forge.ts'
import { Receiver } from '../receiver.test-support.ts'

/** The members of `ActionRun` in the contract. */
const members = [
  ...['ScheduleID', 'approved_by', 'commit_sha', 'created', 'duration', 'event', 'event_payload', 'html_url', 'id'],
  ...['index_in_repo', 'is_fork_pull_request', 'is_ref_deleted', 'need_approval', 'prettyref', 'repository', 'started'],
  ...['status', 'stopped', 'title', 'trigger_event', 'trigger_user', 'updated', 'workflow_id'],
]

test('webhooks get the end of a run with the previous run, and a second event when a workflow recovers', async () => {
  await using forge = await startForge()
  await using receiver = await Receiver.start()
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const names = ['action_run_failure', 'action_run_success', 'action_run_recover']
  const made = await alice.must('POST', `${repo.api}/hooks`, {
    ...{ type: 'forgejo', active: true, events: names },
    config: { url: receiver.url, content_type: 'json' },
  })
  assert.deepEqual(made.json.events, ['action_run_failure', 'action_run_recover', 'action_run_success'])
  const config = { url: `${receiver.url}/slack`, content_type: 'json', channel: 'room' }
  const slack = { type: 'slack', active: true, events: ['action_run_recover'], config }
  await alice.must('POST', `${repo.api}/hooks`, slack)
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const received = () => receiver.got.splice(0).map(({ headers, json }) => ({ name: headers['x-forgejo-event'], json }))

  await commitFiles(forge, repo.api, { '.forgejo/workflows/ci.yml': workflow('push') }, { message: 'first' })
  assert.deepEqual(received(), [], 'no event before the end')
  await runner.finish(await runner.must(), 'FAILURE')
  await forge.settle()
  const [failed, ...others] = received()
  assert.deepEqual([failed?.name, others.length], ['action_run_failure', 0])
  const { action, run, last_run, prior_status, ...rest } = failed?.json ?? {}
  assert.deepEqual([action, last_run, prior_status, rest], ['failure', null, 'running', {}])
  assert.deepEqual(Object.keys(run).toSorted(), members)
  assert.deepEqual(
    [run.index_in_repo, run.title, run.workflow_id, run.prettyref, run.trigger_event, run.status, run.is_ref_deleted],
    [1, 'first', 'ci.yml', 'main', 'push', 'failure', false],
  )
  assert.deepEqual([run.repository.full_name, run.trigger_user.login], [repo.fullName, 'alice'])
  assert.equal(run.html_url, `${forge.url}/${repo.fullName}/actions/runs/1`)
  assert.equal(JSON.parse(run.event_payload).head_commit.message.trim(), 'first')

  // Another workflow is another matter: only runs of the same one are looked back at.
  const other = { '.forgejo/workflows/other.yml': workflow('create') }
  await commitFiles(forge, repo.api, other, { message: 'second' })
  await runner.finish(await runner.must())
  await forge.settle()
  const after = received()
  assert.deepEqual(
    after.filter(({ json }) => json.attachments === undefined).map(({ name, json }) => [name, json.last_run.status]),
    [
      ['action_run_success', 'failure'],
      ['action_run_recover', 'failure'],
    ],
  )
  const [message] = after.filter(({ json }) => json.attachments !== undefined)
  assert.match(message?.json.text, /Run recovered: <[^|]+\/actions\/runs\/2\|ci\.yml \(main\)> by alice/)

  await commitFiles(forge, repo.api, { 'a.txt': 'a' }, { message: 'third' })
  await runner.finish(await runner.must())
  await forge.settle()
  const third = received()
  assert.deepEqual(
    third.map(({ name, json }) => [name, json.last_run.index_in_repo]),
    [['action_run_success', 2]],
    'after a success there is nothing to recover from',
  )

  // What waits is cancelled without ever having run, and a file that cannot be read has failed at once.
  await commitFiles(forge, repo.api, { 'b.txt': 'b' }, { message: 'fourth' })
  const { json: runs } = await alice.get(`${repo.api}/actions/runs?limit=50`)
  await alice.must('POST', `${repo.api}/actions/runs/${runs.workflow_runs.at(-1).id}/cancel`)
  await commitFiles(forge, repo.api, { '.forgejo/workflows/broken.yml': 'on: push\njobs: 1\n' }, { message: 'fifth' })
  await forge.settle()
  assert.deepEqual(
    received().map(({ name, json }) => [name, json.run.workflow_id, json.run.status, json.prior_status]),
    [
      ['action_run_failure', 'ci.yml', 'cancelled', 'waiting'],
      ['action_run_failure', 'broken.yml', 'failure', 'unknown'],
    ],
  )

  const hook = `${repo.api}/hooks/${made.json.id}`
  const { json: deliveries } = await alice.get(`${hook}/deliveries`)
  await alice.must('POST', `${hook}/deliveries/${deliveries[0].id}/attempts`)
  await forge.settle()
  assert.deepEqual(
    received().map(({ json }) => json.run.workflow_id),
    ['broken.yml'],
    'they are sent again as all are',
  )
})
