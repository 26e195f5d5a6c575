import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('issueCreateIssueDependencies, issueRemoveIssueDependencies, issueListIssueDependencies, issueCreateIssueBlocking, issueRemoveIssueBlocking, issueListBlocks: a dependency is neither on the issue itself, nor repeated, nor mutual; both issues must be readable', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const [one, two] = [await forge.given.issue({ repo }), await forge.given.issue({ repo })]
  const hidden = await forge.given.issue({ repo: await forge.given.repo({ private: true }), title: 'secret' })
  const meta = ({ repo: { name }, number }: typeof one) => ({ owner: 'alice', repo: name, index: number })
  const alice = forge.as('alice')
  const add = (issue: typeof one, other: typeof one) => alice.post(`${issue.api}/dependencies`, meta(other))
  assert.equal((await add(one, two)).json.number, one.number)
  assert.deepEqual(
    [(await add(one, one)).status, (await add(one, two)).status, (await add(two, one)).status],
    [422, 409, 409],
  )
  assert.equal((await forge.as('bob').post(`${one.api}/dependencies`, meta(two))).status, 404)
  assert.equal((await forge.as('bob').delete(`${one.api}/dependencies`, meta(two))).status, 404)
  assert.equal((await forge.as('bob').post(`${two.api}/blocks`, meta(one))).status, 404)
  assert.equal((await alice.post(`${hidden.api}/blocks`, meta(one))).status, 201)
  const seen = async (as: string) =>
    (await forge.as(as).must('GET', `${one.api}/dependencies`)).json.map((issue: { title: string }) => issue.title)
  assert.equal((await seen('alice')).includes('secret'), true)
  assert.equal((await seen('bob')).includes('HIDDEN'), true)
  assert.equal((await alice.must('GET', `${two.api}/blocks`)).json[0].number, one.number)
  assert.equal((await alice.delete(`${one.api}/dependencies`, meta(two))).status, 201)
  assert.equal((await alice.delete(`${one.api}/dependencies`, meta(two))).status, 404)
  assert.equal((await alice.delete(`${hidden.api}/blocks`, meta(one))).status, 201)
})
