import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('pinIssue, unpinIssue, moveIssuePin, repoListPinnedIssues, repoNewPinAllowed: a repository has at most three pins, which a client can reorder', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const issues = [
    await forge.given.issue({ repo }),
    await forge.given.issue({ repo }),
    await forge.given.issue({ repo }),
  ]
  const fourth = await forge.given.issue({ repo })
  const alice = forge.as('alice')
  for (const issue of issues) await alice.must('POST', `${issue.api}/pin`)
  assert.equal((await alice.post(`${fourth.api}/pin`)).status, 400)
  assert.deepEqual((await alice.must('GET', `${repo.api}/new_pin_allowed`)).json, {
    issues: false,
    pull_requests: true,
  })
  const order = async () =>
    (await alice.must('GET', `${repo.api}/issues/pinned`)).json.map((issue: { number: number }) => issue.number)
  await alice.must('PATCH', `${issues[2]?.api}/pin/1`)
  assert.deepEqual(await order(), [3, 1, 2])
  assert.equal((await alice.patch(`${issues[2]?.api}/pin/0`)).status, 400)
  assert.equal((await forge.as('bob').delete(`${issues[0]?.api}/pin`)).status, 403)
  await alice.must('DELETE', `${issues[0]?.api}/pin`)
  assert.deepEqual(await order(), [3, 2])
})
