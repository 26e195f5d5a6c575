import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../../db/database.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

interface Shown {
  readonly name: string
  readonly owner: { readonly login: string }
  readonly topics: readonly string[]
}

const people = ['alice', 'bob', 'carol', 'root', undefined]
const askerOf = (forge: Forge, who: string | undefined) => (who === undefined ? forge.guest : forge.as(who))

/** Returns the topics of all pages with their counts, and those of the repositories that the account sees. */
async function foundAndCounted(forge: Forge, who: string | undefined, part: string): Promise<[string[], string[]]> {
  const asker = askerOf(forge, who)
  const { data }: { data: Shown[] } = (await asker.get('/repos/search?limit=50')).json
  const counts = new Map<string, number>()
  for (const name of data.flatMap((repo) => repo.topics)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const counted = [...counts]
    .filter(([name]) => name.includes(part))
    .toSorted(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
  const found: string[] = []
  for (let page = 1; page === 1 || (page - 1) * 3 < counted.length; page++) {
    // oxlint-disable-next-line no-await-in-loop -- a page after the other
    const { json, headers } = await asker.get(`/topics/search?q=${part}&limit=3&page=${page}`)
    assert.equal(headers.get('x-total-count'), String(counted.length), `${who}, ${part}`)
    for (const topic of json.topics) found.push(`${topic.topic_name} ${topic.repo_count}`)
  }
  return [found, counted]
}

test('topicSearch: topics are those of visible repositories under concurrent creation, sharing, transfer, hiding and deletion', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const alice = forge.as('alice')
  for (const visibility of ['public', 'limited', 'private']) {
    // oxlint-disable-next-line no-await-in-loop -- three of them
    await alice.must('POST', '/orgs', { username: `a-${visibility}`, visibility })
  }
  const owners = ['alice', 'a-public', 'a-limited', 'a-private']
  const repos = Array.from({ length: 24 }, (_, index) => ({ owner: owners[index % 4] as string, name: `r${index}` }))
  const topicsOf = (index: number): string[] =>
    Object.entries({ even: 2, third: 3, fifth: 5, fit: 7, all: 1 }).flatMap(([name, nth]) =>
      index % nth === 0 ? [name] : [],
    )
  await Promise.all(
    repos.map(async ({ owner, name }, index) => {
      const path = owner === 'alice' ? '/user/repos' : `/orgs/${owner}/repos`
      await alice.must('POST', path, { name, private: index % 3 === 1 })
      await alice.must('PUT', `/repos/${owner}/${name}/topics`, { topics: topicsOf(index) })
    }),
  )
  await alice.must('PUT', '/repos/alice/r4/collaborators/carol', { permission: 'read' })
  const team = { name: 'some', permission: 'read', units: ['repo.code'], includes_all_repositories: true }
  const { id } = (await alice.must('POST', '/orgs/a-private/teams', team)).json
  await alice.must('PUT', `/teams/${id}/members/carol`)
  const compareAll = async () => {
    for (const who of people) {
      for (const part of ['', 'fi', 'i', 'none']) {
        // oxlint-disable-next-line no-await-in-loop -- the machine has few processors
        const [found, counted] = await foundAndCounted(forge, who, part)
        assert.deepEqual([who, part, ...found], [who, part, ...counted])
      }
    }
    const lines = await examined(forge.services, { only: ['counters'] })
    assert.deepEqual(
      lines.filter((line) => line.includes('topic ')),
      [],
    )
  }
  await compareAll()
  await Promise.all([
    ...repos.map(({ owner, name }, index) => {
      const path = `/repos/${owner}/${name}`
      if (index % 6 === 0) return alice.must('DELETE', path)
      if (index % 6 === 1) return alice.must('PATCH', path, { private: index % 4 === 0 })
      if (index % 6 === 2) return alice.must('PUT', `${path}/topics`, { topics: ['fifth', 'new', 'all'] })
      if (index % 6 === 3 && owner !== 'alice') return alice.must('POST', `${path}/transfer`, { new_owner: 'alice' })
      return alice.must('PATCH', path, { private: index % 2 === 0 })
    }),
    alice.must('PATCH', '/orgs/a-public', { visibility: 'private' }),
    alice.must('PATCH', '/orgs/a-limited', { visibility: 'public' }),
  ])
  await forge.settle()
  await compareAll()
  // The doctor finds and repairs wrong counts.
  await transaction(forge.services.db, (tx) =>
    sql`update topic set num_seen_1 = num_seen_1 + 2 where name = 'all'`.execute(tx),
  )
  const wrong = await examined(forge.services, { only: ['counters'] })
  assert.match(wrong.join('\n'), /counters: topic \d+: num_seen_1 is \d+ and should be \d+ \(fixable\)/)
  await examined(forge.services, { fix: true, only: ['counters'] })
  await compareAll()
})
