import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'

test("repoCompareDiff: a comparison shows a fork's commits without copying them", async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  using clone = await Clone.of(forge, 'bob', `bob/${repo.name}`)
  await clone.must('checkout', '-q', '-b', 'junk')
  await clone.commit('junk.bin', Buffer.alloc(100_000, 'junk'))
  const tip = (await clone.commit('more.txt')) as Oid
  await clone.must('push', '-q', 'origin', 'junk')
  const base = await forge.services.db
    .selectFrom('repo')
    .select(['git_key', 'id'])
    .where('lower_name', '=', repo.name)
    .where('fork_id', 'is', null)
    .executeTakeFirstOrThrow()
  const sizeBytes = await forge.services.git.sizeBytes(base.git_key)

  const compare = `${repo.api}/compare/main...bob:junk`
  const compared = await Promise.all(Array.from({ length: 5 }, () => forge.guest.get(compare)))
  for (const { status, json } of compared) {
    assert.deepEqual([status, json.total_commits, json.commits[0].sha], [200, 2, tip])
    assert.deepEqual(
      json.files.map(({ filename }: { filename: string }) => filename),
      ['more.txt', 'junk.bin'],
    )
  }
  assert.equal((await forge.guest.get(`${repo.api}/compare/main..bob:${tip}`)).json.total_commits, 2)

  assert.deepEqual(await forge.services.git.missingObjects(base.git_key, [tip]), [tip])
  assert.equal(await forge.services.git.sizeBytes(base.git_key), sizeBytes)
  assert.equal((await forge.guest.get(`${repo.api}/git/commits/${tip}`)).status, 404)
  assert.equal((await forge.guest.get(`${repo.api}/compare/main...${tip}`)).status, 404)
  assert.equal((await forge.guest.get(`${repo.api}/raw/junk.bin?ref=${tip}`)).status, 404)
})

test('repoCompareDiff: an unreadable fork looks like a missing one', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  assert.equal((await forge.as('alice').get(`${repo.api}/compare/main...bob:main`)).status, 404)
  assert.equal((await forge.as('bob').get(`${repo.api}/compare/main...bob:main`)).status, 200)
})

test('repoCompareDiff: a team that reads only the code compares branches of a private repository', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const alice = forge.as('alice')
  await alice.must('POST', '/orgs/guild/repos', { name: 'tools', private: true, auto_init: true })
  const { json: team } = await alice.must('POST', '/orgs/guild/teams', {
    name: 'code',
    units_map: { 'repo.code': 'read' },
  })
  await alice.must('PUT', `/teams/${team.id}/repos/guild/tools`)
  await alice.must('PUT', `/teams/${team.id}/members/bob`)
  await alice.must('POST', '/repos/guild/tools/contents/a.txt', { content: 'eA==', new_branch: 'next' })
  const bob = forge.as('bob')
  assert.equal((await bob.get('/repos/guild/tools/pulls')).status, 404)
  for (const range of ['main...next', 'main..next', 'next']) {
    const { status, json } = await bob.get(`/repos/guild/tools/compare/${range}`)
    assert.deepEqual([status, json.total_commits], [200, 1], range)
  }
})
