import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator, commitFiles, givenPull } from '../../testing/given-pull.ts'

test('repositoryPulls, myPullsPage: rows say how the checks of the head went and what reviews say', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  await collaborator(forge, repo, 'bob')
  await collaborator(forge, repo, 'carol')
  const one = await givenPull(forge, { repo })
  const other = await givenPull(forge, { repo })
  const rows = async (path = `/${repo.fullName}/pulls`, who = 'bob') => {
    const { text } = await (await Browser.of(forge, who)).get(path)
    const found = [...text.matchAll(/<li class="row issue-row">[\s\S]*?<\/li>/g)].map(([row]) => row)
    const of = ({ branch }: { readonly branch: string }) => found.find((row) => row.includes(branch)) ?? ''
    return { one: of(one), other: of(other) }
  }
  const noMarks = /check-icon|Review required|Approved|Waiting for review/
  const before = await rows()
  assert.doesNotMatch(before.one, noMarks)
  assert.doesNotMatch(before.other, noMarks)

  const tell = (sha: string, context: string, state: string) =>
    alice.must('POST', `${repo.api}/statuses/${sha}`, { context, state })
  await tell(one.head, 'lint', 'failure')
  await tell(one.head, 'lint', 'success')
  await tell(one.head, 'test', 'pending')
  await tell(other.head, 'test', 'failure')
  await alice.must('POST', `${other.api}/requested_reviewers`, { reviewers: ['bob'] })
  const marks = await rows()
  assert.match(marks.one, /warning-text" title="1 of 2 checks passed"/)
  assert.match(marks.other, /danger-text" title="0 of 1 check passed"/)
  assert.match(marks.other, /Waiting for review/)

  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', required_approvals: 1 })
  assert.match((await rows()).one, /Review required/)
  await forge.as('bob').must('POST', `${one.api}/reviews`, { event: 'APPROVED' })
  await forge.as('bob').must('POST', `${other.api}/reviews`, { event: 'REQUEST_CHANGES', body: 'no' })
  const reviewed = await rows('/pulls?type=created', 'alice')
  assert.match(reviewed.one, /Approved/)
  assert.match(reviewed.other, /Changes requested/)

  // A push leaves the checks of the earlier head behind.
  await commitFiles(forge, repo, other.branch, { 'more.txt': 'more\n' })
  assert.doesNotMatch((await rows()).other, /check-icon/)
})
