import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxAnswerBytes } from '../lib/work-budget.ts'
import { startForge } from '../testing/forge.ts'

const count = 10

test('lists of long texts are refused with a reason, smaller ones have true counts, and one item is always answered', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const body = 'long '.repeat(200_000)
  const made = await alice.post(`${repo.api}/issues`, { title: 'first', body })
  assert.equal(made.status, 201, made.text.slice(0, 300))
  for (let number = 1; number < count; number++) {
    for (const [path, sent] of [
      ['issues', { title: `issue ${number}`, body }],
      ['issues/1/comments', { body }],
      ['releases', { tag_name: `v${number}`, name: `v${number}`, body }],
      ['milestones', { title: `m${number}`, description: body }],
    ] as const) {
      const reply = await alice.post(`${repo.api}/${path}`, sent)
      assert.equal(reply.status, 201, `${path}: ${reply.text.slice(0, 300)}`)
    }
  }
  for (const list of ['issues', 'releases', 'milestones', 'issues/comments', 'issues/1/comments']) {
    const refused = await alice.get(`${repo.api}/${list}?limit=50`)
    assert.equal(refused.status, 422, `${list}: ${refused.text.length} characters`)
    assert.match(refused.text, /work_too_costly/, list)
    assert.match(refused.text, /smaller limit/, list)
  }
  for (const list of ['issues', 'releases', 'milestones']) {
    for (const limit of [1, 3]) {
      const answered = await alice.get(`${repo.api}/${list}?limit=${limit}&page=2`)
      assert.equal(answered.status, 200, list)
      assert.equal((answered.json as unknown[]).length, limit, list)
      assert.equal(Number(answered.headers.get('x-total-count')), list === 'issues' ? count : count - 1, list)
      assert.ok(answered.text.length < maxAnswerBytes)
    }
  }
})
