import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../../testing/count-queries.ts'
import { startForge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

test('repoDeleteBranch: default and protected branches are refused, unknown ones are 404', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'kept' })
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'ke*' })
  const statuses = await Promise.all(
    ['main', 'kept', 'none'].map(async (name) => (await alice.delete(`${repo.api}/branches/${name}`)).status),
  )
  assert.deepEqual(statuses, [403, 403, 404])
})

test('repoCreateBranch: one of eight concurrent requests with one name succeeds', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => forge.as('alice').post(`${repo.api}/branches`, { new_branch_name: 'same' })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409, 409, 409, 409, 409, 409, 409],
  )
})

test('repoUpdateBranch: the default branch, an exact rule and the list follow a rename', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', enable_push: true })
  await alice.must('PATCH', `${repo.api}/branches/main`, { name: 'trunk' })
  const [branches, rules, shown] = await Promise.all([
    alice.get(`${repo.api}/branches`),
    alice.get(`${repo.api}/branch_protections`),
    alice.get(repo.api),
  ])
  assert.deepEqual(
    branches.json.map((branch: { name: string }) => branch.name),
    ['trunk'],
  )
  assert.deepEqual([rules.json[0].rule_name, shown.json.default_branch], ['trunk', 'trunk'])
})

test('repoListBranches: an empty repository answers null', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ auto_init: false })
  const reply = await forge.guest.get(`${repo.api}/branches`)
  assert.deepEqual([reply.status, reply.json, reply.headers.get('x-total-count')], [200, null, '0'])
})

test('repoCreateTag: protected names are refused to owners too; a message makes an annotated tag by the caller', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.account('bob')
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/tag_protections`, { name_pattern: '/^v[0-9]/', whitelist_usernames: ['bob'] })
  assert.equal((await alice.post(`${repo.api}/tags`, { tag_name: 'v1' })).status, 422)
  assert.equal((await alice.post(`${repo.api}/tags`, { tag_name: 'a..b' })).status, 422)
  const made = await alice.must('POST', `${repo.api}/tags`, { tag_name: 'x1', message: 'Said' })
  const object = (await alice.get(`${repo.api}/git/tags/${made.json.id}`)).json
  assert.deepEqual([object.message, object.tagger.name, object.object.sha], ['Said\n', 'alice', made.json.commit.sha])
})

test('repoGetAllCommits: pages are counted, and lines on request', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/a.txt`, { content: base64('1\n2\n') })
  const page = await alice.get(`${repo.api}/commits?limit=1&stat=true`)
  assert.deepEqual([page.headers.get('x-total'), page.headers.get('x-hasmore')], ['2', 'true'])
  assert.deepEqual(page.json[0].stats, { total: 2, additions: 2, deletions: 0 })
  assert.deepEqual(page.json[0].files, [{ filename: 'a.txt', status: 'added' }])
  assert.equal((await alice.get(`${repo.api}/commits?path=none`)).status, 404)
  const empty = await forge.given.repo({ auto_init: false })
  assert.equal((await alice.get(`${empty.api}/commits`)).status, 409)
})

test('repoSetNote, repoRemoveNote: notes are not branches, and are cleaned like messages', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  assert.equal((await alice.get(`${repo.api}/git/notes/main`)).status, 404)
  assert.equal((await alice.delete(`${repo.api}/git/notes/main`)).status, 404)
  await alice.must('PATCH', '/user/settings', { full_name: 'Alice Liddell' })
  const set = await alice.post(`${repo.api}/git/notes/main`, { message: '\n a  \n\n\n\nb' })
  assert.deepEqual([set.status, set.json.message], [200, ' a\n\nb\n'])
  assert.equal(set.json.commit.commit.author.name, 'alice')
  assert.equal((await alice.delete(`${repo.api}/git/notes/main`)).status, 204)
  assert.equal((await alice.get(`${repo.api}/git/notes/main`)).status, 404)
})

test('repoCreateStatus: numbers are unique per commit, and the worst state wins', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const sent = await Promise.all(
    ['success', 'failure', 'pending', 'success'].map((state, index) =>
      alice.post(`${repo.api}/statuses/main`, { state, context: `check/${index}`, description: 'said' }),
    ),
  )
  assert.deepEqual(
    sent.map(({ status }) => status),
    [201, 201, 201, 201],
  )
  assert.equal((await alice.post(`${repo.api}/statuses/nosuch`, { state: 'success' })).status, 404)
  const combined = (await forge.guest.get(`${repo.api}/commits/main/status`)).json
  assert.deepEqual([combined.state, combined.total_count], ['failure', 4])
})

test('lists of git data run a constant number of statements', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'b*' })
  await alice.must('POST', `${repo.api}/statuses/main`, { state: 'success', context: 'first' })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 't0' })
  const queries = async (): Promise<number[]> => {
    const counts = []
    for (const path of ['branches', 'tags', 'commits', 'statuses/t0', 'contents', 'branch_protections']) {
      // The first request fills caches, so the minimum counts.
      const rounds = []
      for (let round = 0; round < 4; round++) {
        using counter = await countQueries(forge)
        await alice.must('GET', `${repo.api}/${path}`)
        rounds.push(counter.count)
      }
      counts.push(Math.min(...rounds))
    }
    return counts
  }
  const few = await queries()
  for (const index of [1, 2, 3]) {
    await alice.must('POST', `${repo.api}/branches`, { new_branch_name: `free${index}` })
    await alice.must('POST', `${repo.api}/tags`, { tag_name: `t${index}`, message: 'Said' })
    await alice.must('POST', `${repo.api}/statuses/t0`, { state: 'success', context: `check/${index}` })
    await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: `rule${index}` })
  }
  await alice.must('POST', `${repo.api}/contents/a.txt`, { content: '' })
  assert.deepEqual(await queries(), few)
})
