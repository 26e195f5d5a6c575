import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles as commitWorkflow, TestRunner, workflow } from '../../actions/actions.test-support.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator, commitFiles } from '../../testing/given-pull.ts'
import { withPull } from './pull.test-support.ts'

/** The lines of the merge box: its title, and what follows. */
const linesOf = (page: string) => {
  const box = /<section class="merge-box[^]*?<\/section>/.exec(page)?.[0] ?? ''
  const texts = (element: string) =>
    [...box.matchAll(new RegExp(`<div class="merge-line">[^]*?<${element}>(.*?)</${element}>`, 'g'))].map(
      ([, text]) => text,
    )
  return { box, title: /<h2>(.*?)<\/h2>/.exec(box)?.[1], others: texts('strong') }
}

const rejection = { event: 'REQUEST_CHANGES', body: 'Not yet' }

test('pullPage: the title of the merge box names who asked for changes, with the button that asks again', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const boxFor = async (person: Browser) => linesOf((await person.get(at)).text)
  assert.equal((await boxFor(alice)).title, 'This pull request can be merged.')
  await forge.as('bob').must('POST', `${pull.api}/reviews`, rejection)
  const advice = await boxFor(alice)
  assert.equal(advice.title, 'bob asked for changes')
  assert.match(advice.box, /allow the merge nevertheless[^]*name="reviewer" value="bob"[^]*>Merge</)
  assert.doesNotMatch(advice.box, /class="merge-box good"/)

  const rule = { rule_name: 'main', block_on_rejected_reviews: true, required_approvals: 2 }
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, rule)
  const blocked = await boxFor(alice)
  assert.deepEqual([blocked.title, blocked.others], ['bob asked for changes', ['2 approvals are missing']])
  assert.match(blocked.box, /href="#reviewers"/)
  const own = await boxFor(bob)
  assert.doesNotMatch(own.box, /name="reviewer"/)
  assert.match(own.box, /href="[^"]*\/files"[^>]*>[^]*?Review the changes/)
  assert.doesNotMatch((await new Browser(forge).get(at)).text, /name="reviewer"|Ask for a review/)
  await commitFiles(forge, repo, pull.branch, { 'more.txt': 'more\n' })
  assert.match((await boxFor(bob)).box, /href="[^"]*\/files\?since=review"/)

  assert.equal((await alice.submit(at, '/reviewers', { reviewer: 'bob' })).status, 303)
  const asked = await boxFor(alice)
  assert.equal(asked.title, 'bob asked for changes')
  assert.doesNotMatch(asked.box, /name="reviewer"/, 'bob is asked already')
})

test('pullPage: the worst blocker comes first, each with its act', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, pull, at } = await withPull(forge)
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, {
    rule_name: 'main',
    enable_status_check: true,
    status_check_contexts: ['build'],
    block_on_outdated_branch: true,
    block_on_official_review_requests: true,
    enable_push: true,
  })
  await forge.as('alice').must('POST', `${pull.api}/requested_reviewers`, { reviewers: ['bob'] })
  const title = (await forge.as('alice').get(pull.api)).json.title
  await forge.as('alice').must('PATCH', pull.api, { title: `WIP: ${title}` })
  await commitFiles(forge, repo, 'main', { 'other.txt': 'other\n' })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const lines = linesOf((await alice.get(at)).text)
  assert.equal(lines.title, 'This is a draft')
  assert.deepEqual(lines.others, [
    'The review of bob is not given yet',
    'build has not reported yet',
    'The branch is behind its base',
  ])
  assert.match(lines.box, /Ready for review[^]*name="style" value="merge"/)
  await commitFiles(forge, repo, 'main', { [`${pull.branch}.txt`]: 'conflict\n' })
  await forge.settle()
  const conflict = linesOf((await alice.get(at)).text)
  assert.deepEqual([conflict.title, conflict.others[0]], ['The branches conflict', 'This is a draft'])
  const bob = await Browser.of(forge, 'bob')
  assert.match(linesOf((await bob.get(at)).text).box, /Review the changes/)
})

test('pullPage: a failed check of a workflow leads to the line of its log, for those who may read it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await collaborator(forge, repo, 'bob')
  await commitWorkflow(forge, repo.api, { '.forgejo/workflows/tests.yml': workflow('pull_request') })
  await commitFiles(forge, repo, 'topic', { 'topic.txt': 'topic\n' })
  const { json: pull } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'A check' })
  const at = `/${repo.fullName}/pulls/${pull.number}`
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await forge.settle()
  const task = await runner.must()
  await runner.log(task, 0, ['set up', 'one', 'two', 'wrong here'], true)
  const steps = [
    { id: '0', logIndex: '1', logLength: '3', result: 'RESULT_FAILURE', startedAt: '2024-05-01T10:00:00Z' },
  ]
  await runner.call('UpdateTask', { state: { id: task.id, result: 'RESULT_FAILURE', steps } })
  await forge.settle()
  await forge
    .as('alice')
    .must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', enable_status_check: true })
  const alice = await Browser.of(forge, 'alice')
  const { title, box } = linesOf((await alice.get(at)).text)
  assert.match(title ?? '', / failed$/)
  assert.match(box, new RegExp(`href="/${repo.fullName}/actions/runs/1/jobs/0#L4">See line 4 of the log<`))
  assert.match((await alice.get(`/${repo.fullName}/actions/runs/1/jobs/0`)).text, /id="L4"[^]*wrong here/)
  const guest = new Browser(forge)
  assert.match(linesOf((await guest.get(at)).text).box, /#L4/)
  await forge.as('alice').must('PATCH', repo.api, { has_actions: false })
  assert.doesNotMatch(linesOf((await guest.get(at)).text).box, /#L4/)
})

test('pullPage, commitPage, repositoryPulls: a cancelled check is grey and says so; the API calls it a failure', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitWorkflow(forge, repo.api, { '.forgejo/workflows/tests.yml': workflow('pull_request') })
  const alice = forge.as('alice')
  await commitFiles(forge, repo, 'topic', { 'topic.txt': 'topic\n' })
  const { json: pull } = await alice.must('POST', `${repo.api}/pulls`, {
    head: 'topic',
    base: 'main',
    title: 'A check',
  })
  const rule = { rule_name: 'main', enable_status_check: true }
  await alice.must('POST', `${repo.api}/branch_protections`, rule)
  await forge.settle()
  const browser = await Browser.of(forge, 'alice')
  assert.equal((await browser.submit(`/${repo.fullName}/actions/runs/1`, '/cancel')).status, 303)
  await forge.settle()

  const head = pull.head.sha
  const grey = /class="check-icon muted" title="Cancelled"/
  const { title, box } = linesOf((await browser.get(`/${repo.fullName}/pulls/${pull.number}`)).text)
  assert.match(title ?? '', / was cancelled$/)
  assert.match(box, /class="event-icon neutral"[^]*1 of 1 check was cancelled/)
  assert.match(box, grey)
  assert.doesNotMatch(box, /danger|failed/)
  const commit = `/${repo.fullName}/commit/${head}`
  assert.match((await browser.get(commit)).text, grey)
  const list = (await browser.get(`/${repo.fullName}/pulls`)).text
  assert.match(list, /class="check-icon muted" title="0 of 1 check passed"/)
  assert.match((await browser.get(`/${repo.fullName}/commits/branch/topic`)).text, /class="status-mark muted"/)
  assert.equal((await alice.get(`${repo.api}/commits/${head}/status`)).json.state, 'failure')

  // A failure of another check is still one.
  await alice.must('POST', `${repo.api}/statuses/${head}`, { context: 'lint', state: 'failure' })
  const both = linesOf((await browser.get(`/${repo.fullName}/pulls/${pull.number}`)).text).box
  assert.match(both, /1 of 2 checks failed[^]*danger-text" title="Failed"[^]*muted" title="Cancelled"/)
})
