import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsNamed } from '../../testing/events.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'
import { maxDepth } from './relation-word.ts'

type Issue = Awaited<ReturnType<Forge['given']['issue']>>

const naming = ({ repo: { fullName }, number }: Issue, relation: string) => {
  const [owner = '', repo = ''] = fullName.split('/')
  return { relation, owner, repo, index: number }
}

const relate = (forge: Forge, as: string, one: Issue, relation: string, other: Issue) =>
  forge.as(as).post(`${one.api}/relations`, naming(other, relation))

/** What an account sees at an issue, as `relation number`. */
const seen = async (forge: Forge, as: string, issue: Issue): Promise<string[]> =>
  (await forge.as(as).must('GET', `${issue.api}/relations`)).json.map(
    (each: { relation: string; issue: { number: number } }) => `${each.relation} ${each.issue.number}`,
  )

test('issueCreateRelation, issueRemoveRelation, issueListRelations: guests, readers and nonsense are refused, and nothing is half made', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const [one, two] = [await forge.given.issue({ repo }), await forge.given.issue({ repo })]
  const archived = await forge.given.repo({ owner: 'alice' })
  const old = await forge.given.issue({ repo: archived })
  await forge.as('alice').must('PATCH', archived.api, { archived: true })
  const alice = forge.as('alice')
  assert.equal((await forge.guest.post(`${one.api}/relations`, naming(two, 'relates_to'))).status, 401)
  assert.equal((await relate(forge, 'bob', one, 'relates_to', two)).status, 404)
  assert.equal((await relate(forge, 'alice', one, 'cousin', two)).status, 422)
  assert.equal((await relate(forge, 'alice', one, 'relates_to', one)).status, 422)
  assert.equal((await alice.post(`${one.api}/relations`, { relation: 'relates_to', index: 99 })).status, 404)
  assert.equal((await relate(forge, 'alice', old, 'relates_to', one)).status, 423)
  assert.equal((await relate(forge, 'alice', one, 'parent', old)).status, 404, 'an archived repository does not change')
  assert.equal((await alice.delete(`${one.api}/relations`, naming(two, 'relates_to'))).status, 404)
  assert.deepEqual([await seen(forge, 'bob', one), await seen(forge, 'bob', two)], [[], []])
  assert.equal((await relate(forge, 'alice', one, 'relates_to', old)).status, 201, 'the other one only is named')
})

test('issueListRelations: both issues show a relation, with the word of their side; a repeated one is refused', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issues: Issue[] = []
  for (let count = 0; count < 4; count++) issues.push(await forge.given.issue({ repo }))
  const [one, two, three, four] = issues as [Issue, Issue, Issue, Issue]
  assert.equal((await relate(forge, 'alice', one, 'sub_issue', two)).json.issue.number, two.number)
  assert.equal((await relate(forge, 'alice', one, 'duplicate_of', three)).status, 201)
  assert.equal((await relate(forge, 'alice', four, 'relates_to', one)).status, 201)
  assert.equal((await relate(forge, 'alice', two, 'parent', one)).status, 409)
  assert.equal((await relate(forge, 'alice', one, 'relates_to', four)).status, 409)
  assert.deepEqual(await seen(forge, 'bob', one), ['sub_issue 2', 'duplicate_of 3', 'relates_to 4'])
  assert.deepEqual(await seen(forge, 'bob', two), ['parent 1'])
  assert.deepEqual(await seen(forge, 'bob', three), ['duplicated_by 1'])
  assert.deepEqual(await seen(forge, 'bob', four), ['relates_to 1'])
  const page = await forge.as('bob').must('GET', `${one.api}/relations?limit=1&page=2`)
  assert.deepEqual([page.json.length, page.headers.get('x-total-count')], [1, '3'])
  assert.equal((await forge.as('alice').delete(`${one.api}/relations`, naming(four, 'relates_to'))).status, 204)
  assert.equal((await forge.as('alice').delete(`${two.api}/relations`, naming(one, 'parent'))).status, 204)
  assert.deepEqual(await seen(forge, 'bob', one), ['duplicate_of 3'])
  const timeline = (await forge.as('bob').must('GET', `${two.api}/timeline`)).json
  assert.deepEqual(
    timeline.map((entry: { type: string; body: string; dependent_issue: { number: number } }) => [
      ...[entry.type, entry.body],
      entry.dependent_issue.number,
    ]),
    [
      ['add_relation', 'parent', 1],
      ['remove_relation', 'parent', 1],
    ],
  )
  const facts = await eventsNamed(forge, 'issue.edited')
  assert.equal(facts.length, 10, 'each change is one of both issues')
})

test('issueCreateRelation: an issue has one parent, no circle above it, and a limited number of issues above it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const chain: Issue[] = [await forge.given.issue({ repo })]
  for (let depth = 1; depth <= maxDepth + 1; depth++) {
    const issue = await forge.given.issue({ repo })
    const { status } = await relate(forge, 'alice', issue, 'parent', chain.at(-1) as Issue)
    assert.equal(status, depth <= maxDepth ? 201 : 422, `depth ${depth}`)
    chain.push(issue)
  }
  const [root, second, third] = chain as [Issue, Issue, Issue]
  assert.equal((await relate(forge, 'alice', root, 'parent', third)).json.code, 'relation_circular')
  assert.equal((await relate(forge, 'alice', third, 'sub_issue', root)).json.code, 'relation_circular')
  const other = await forge.given.issue({ repo })
  assert.equal((await relate(forge, 'alice', second, 'parent', other)).json.code, 'relation_has_parent')
})

test('issueCreateRelation: a pull request is in no tree of issues, but may be related', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue({ repo })
  const pull = await givenPull(forge, { repo })
  const at = `/repos/${repo.fullName}/issues/${pull.number}`
  const asIssue = { ...issue, number: pull.number, api: at }
  assert.equal((await relate(forge, 'alice', issue, 'sub_issue', asIssue)).status, 422)
  assert.equal((await relate(forge, 'alice', asIssue, 'relates_to', issue)).status, 201)
})

test('issueListRelations: an unreadable issue is not shown, named or counted; both sides of a tree must be managed', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const open = await forge.given.repo({ owner: 'alice' })
  const hidden = await forge.given.repo({ owner: 'alice', private: true })
  const ofBob = await forge.given.repo({ owner: 'bob' })
  const [shown, secret, foreign] = [
    await forge.given.issue({ repo: open }),
    await forge.given.issue({ repo: hidden, title: 'secret' }),
    await forge.given.issue({ repo: ofBob, poster: 'bob' }),
  ]
  assert.equal((await relate(forge, 'alice', shown, 'sub_issue', secret)).status, 201)
  assert.deepEqual(await seen(forge, 'alice', shown), ['sub_issue 1'])
  assert.deepEqual(await seen(forge, 'carol', shown), [])
  assert.equal((await forge.guest.get(`${shown.api}/relations`)).headers.get('x-total-count'), '0')
  const timeline = await forge.as('carol').must('GET', `${shown.api}/timeline`)
  assert.doesNotMatch(JSON.stringify(timeline.json), /secret/)
  // Bob knows the number of the secret issue, and learns nothing.
  for (const relation of ['relates_to', 'parent', 'duplicate_of']) {
    const { status, json } = await relate(forge, 'bob', foreign, relation, secret)
    assert.deepEqual([status, json.message], [404, 'the issue does not exist'])
  }
  assert.equal((await relate(forge, 'bob', foreign, 'sub_issue', shown)).status, 404, 'not his to put below another')
  assert.equal((await relate(forge, 'bob', foreign, 'parent', shown)).status, 404)
  assert.equal((await relate(forge, 'bob', foreign, 'duplicated_by', shown)).status, 404)
  assert.equal((await relate(forge, 'bob', foreign, 'duplicate_of', shown)).status, 201)
  const end = (as: string) => forge.as(as).delete(`${shown.api}/relations`, naming(foreign, 'duplicated_by'))
  assert.equal((await end('carol')).status, 404)
  assert.equal((await end('alice')).status, 204, 'either side ends it')
})

test('issueDelete: a deleted issue leaves no relation', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const [one, two] = [await forge.given.issue({ repo }), await forge.given.issue({ repo })]
  await relate(forge, 'alice', one, 'sub_issue', two)
  await relate(forge, 'alice', two, 'relates_to', one)
  await forge.as('alice').must('DELETE', two.api)
  assert.deepEqual(await seen(forge, 'alice', one), [])
  assert.deepEqual(await forge.services.db.selectFrom('issue_relation').selectAll().execute(), [])
})
