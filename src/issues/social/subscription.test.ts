import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('issueAddSubscription, issueDeleteSubscription, issueCheckSubscription, issueSubscriptions', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const bob = forge.as('bob')
  const path = `${issue.api}/subscriptions`
  assert.equal((await bob.must('GET', `${path}/check`)).json.subscribed, false)
  assert.equal((await bob.put(`${path}/bob`)).status, 201)
  assert.equal((await bob.put(`${path}/bob`)).status, 200)
  assert.equal((await bob.must('GET', `${path}/check`)).json.subscribed, true)
  assert.deepEqual(
    (await bob.must('GET', path)).json.map((user: { login: string }) => user.login),
    ['bob'],
  )
  assert.equal((await bob.put(`${path}/alice`)).status, 403)
  assert.equal((await bob.put(`${path}/nobody-here`)).status, 404)
  assert.equal((await bob.delete(`${path}/bob`)).status, 201)
  await bob.must('POST', `${issue.api}/comments`, { body: 'a comment does not undo an explicit no' })
  assert.equal((await bob.must('GET', `${path}/check`)).json.subscribed, false)
})
