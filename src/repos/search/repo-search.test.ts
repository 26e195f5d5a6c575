import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../../db/database.ts'
import type { ForgeClient } from '../../testing/client.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

interface Shown {
  readonly id: number
  readonly name: string
  readonly owner: { readonly id: number; readonly login: string }
  readonly private: boolean
  readonly template: boolean
  readonly archived: boolean
  readonly stars_count: number
  readonly forks_count: number
  readonly size: number
  readonly updated_at: string
}

/** Creates repositories of people and organizations with different visibility and counts. */
async function world(): Promise<Forge> {
  const forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const alice = forge.as('alice')
  for (const [org, visibility] of [
    ['open', 'public'],
    ['known', 'limited'],
    ['closed', 'private'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- three of them
    await alice.must('POST', '/orgs', { username: org, visibility })
  }
  const owners = ['alice', 'bob', 'open', 'known', 'closed']
  for (let index = 0; index < 20; index++) {
    const owner = owners[index % owners.length] as string
    const name = `${['pear', 'apple', 'fig'][index % 3]}-${String((index * 7) % 20).padStart(2, '0')}`
    const body = { name, private: index % 4 === 1, template: index % 6 === 2, description: `number ${index}` }
    const path = index % owners.length < 2 ? '/user/repos' : `/orgs/${owner}/repos`
    // oxlint-disable-next-line no-await-in-loop -- their ids are in this order
    await forge.as(owner === 'bob' ? 'bob' : 'alice').must('POST', path, body)
  }
  // Carol was given a private one, and is on a team of the organization that nobody else sees, which holds one of its private ones.
  await forge.as('bob').must('PUT', '/repos/bob/apple-07/collaborators/carol', { permission: 'read' })
  const team = (
    await alice.must('POST', '/orgs/closed/teams', { name: 'some', permission: 'read', units: ['repo.code'] })
  ).json
  await alice.must('PUT', `/teams/${team.id}/members/carol`)
  await alice.must('PUT', `/teams/${team.id}/repos/closed/pear-03`)
  await alice.must('PATCH', '/repos/open/fig-14', { archived: true })
  await transaction(forge.services.db, (tx) =>
    sql`update repo set num_stars = (id * 7) % 5, num_forks = (id * 3) % 4, git_size_bytes = ((id * 11) % 7) * 1024,
      lfs_size_bytes = ((id * 5) % 3) * 1024, updated_unix = created_unix + (id * 13) % 6`.execute(tx),
  )
  return forge
}

const compare = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0)

const orders: Record<string, (one: Shown, other: Shown) => number> = {
  alpha: (one, other) => compare(one.owner.login, other.owner.login) || compare(one.name, other.name),
  updated: (one, other) => compare(one.updated_at, other.updated_at) || compare(one.id, other.id),
  size: (one, other) => compare(one.size, other.size) || compare(one.id, other.id),
  stars: (one, other) => compare(one.stars_count, other.stars_count) || compare(one.id, other.id),
  forks: (one, other) => compare(one.forks_count, other.forks_count) || compare(one.id, other.id),
  id: (one, other) => compare(one.id, other.id),
}

/** Reads all pages of a list with five rows each, and checks the total of each. */
async function pagesOf(
  forge: Forge,
  who: string | undefined,
  query: string,
  asker: ForgeClient = who === undefined ? forge.guest : forge.as(who),
): Promise<Shown[]> {
  const all: Shown[] = []
  let total = 1
  for (let page = 1; (page - 1) * 5 < total; page++) {
    // oxlint-disable-next-line no-await-in-loop -- the first says how many there are
    const reply = await asker.get(`/repos/search?${query}&limit=5&page=${page}`)
    total = Number(reply.headers.get('x-total-count'))
    all.push(...reply.json.data)
  }
  assert.equal(all.length, total, `${who}: ${query}`)
  return all
}

test('repoSearch: in each order and with each filter the pages together are the list, from either end', async () => {
  await using forge = await world()
  const marks: Record<string, (repo: Shown) => boolean> = {
    'q=': () => true,
    'is_private=true': (repo) => repo.private,
    'is_private=false': (repo) => !repo.private,
    'template=true': (repo) => repo.template,
    'archived=false': (repo) => !repo.archived,
    'q=apple': (repo) => repo.name.includes('apple'),
    'q=open/fig,pear-0': (repo) =>
      repo.name.includes('pear-0') || (repo.owner.login === 'open' && repo.name.includes('fig')),
  }
  const bob = (await forge.account('bob')).user.id
  const names = (repos: readonly Shown[]) => repos.map((repo) => `${repo.owner.login}/${repo.name}`)
  for (const who of ['alice', 'bob', 'carol', 'root', undefined]) {
    // oxlint-disable-next-line no-await-in-loop -- the machine has few processors
    const all = await pagesOf(forge, who, 'sort=id')
    assert.ok(all.length > 6, 'the list has rows')
    for (const [nth, [mark, isWanted]] of Object.entries(marks).entries()) {
      // All orders without a filter, three orders with each filter.
      for (const [sort, order] of Object.entries(orders).filter((_, index) => nth === 0 || (index + nth) % 2 === 0)) {
        const descending = (mark.length + sort.length) % 2 === 0
        const wanted = all
          .filter(isWanted)
          .toSorted((one, other) => (descending ? order(other, one) : order(one, other)))
        // oxlint-disable-next-line no-await-in-loop -- as above
        const found = await pagesOf(forge, who, `${mark}&sort=${sort}&order=${descending ? 'desc' : 'asc'}`)
        assert.deepEqual([who, mark, sort, ...names(found)], [who, mark, sort, ...names(wanted)])
      }
    }
    const rank = (repo: Shown): number => (repo.owner.id === bob ? 0 : repo.owner.id)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const prior = await pagesOf(forge, who, `priority_owner_id=${bob}&sort=stars`)
    const wanted = all.toSorted(
      (one, other) =>
        compare(rank(one), rank(other)) || compare(one.stars_count, other.stars_count) || one.id - other.id,
    )
    assert.deepEqual(names(prior), names(wanted), `${who}: the repositories of one owner first`)
  }
})

test('repoSearch: words in names find the repositories that the caller and the token may see', async () => {
  await using forge = await world()
  const askers = new Map<string, ForgeClient>([['a guest', forge.guest]])
  for (const who of ['alice', 'bob', 'carol', 'root']) {
    const basic = forge.as(who, { basic: { login: who, password: 'Passw0rd!' } })
    const made = { name: 'few', scopes: ['public-only', 'read:repository'] }
    // oxlint-disable-next-line no-await-in-loop -- four of them
    const { sha1 } = (await basic.must('POST', `/users/${who}/tokens`, made)).json
    askers.set(who, forge.as(who)).set(`${who}, who shows public things`, forge.as(who, { token: sha1 }))
  }
  const names = (repos: readonly Shown[]) => repos.map(({ owner, name }) => `${name} of ${owner.login}`)
  const check = async () => {
    for (const [who, asker] of askers) {
      // oxlint-disable no-await-in-loop -- the machine has few processors
      const all = await pagesOf(forge, who, 'sort=id', asker)
      for (const word of ['apple', 'PEAR', 'g-', 'e-0', '-', 'nothing', '%']) {
        const wanted = all
          .filter(({ name }) => name.includes(word.toLowerCase()))
          .toSorted((one, other) => compare(one.name, other.name) || compare(one.id, other.id))
        const found = await pagesOf(forge, who, `q=${encodeURIComponent(word)}`, asker)
        assert.deepEqual([who, word, ...names(found)], [who, word, ...names(wanted)])
      }
      const beyond = await asker.get('/repos/search?q=apple&limit=5&page=90')
      assert.deepEqual(beyond.json.data, [])
      const there = all.filter(({ name }) => name.includes('apple')).length
      assert.equal(
        Number(beyond.headers.get('x-total-count')),
        there,
        `${who}: how many there are is told behind the end`,
      )
      // oxlint-enable no-await-in-loop
    }
  }
  await check()
  await forge.as('root').must('PATCH', '/admin/users/carol', { source_id: 0, login_name: 'carol', restricted: true })
  await check()
})

test('userCurrentListRepos: a private repository of an organization is listed for members of a team that holds it', async () => {
  await using forge = await world()
  const alice = forge.as('alice')
  const carol = forge.as('carol')
  const teams: { id: number; name: string }[] = (await alice.must('GET', '/orgs/closed/teams')).json
  const id = teams.find(({ name }) => name === 'some')?.id
  const listed = async () => {
    const lists = await Promise.all(
      ['id', 'name', 'newest', 'alphabetically', 'size'].map(async (order) => {
        const pages = await Promise.all(
          [1, 2, 3].map((page) => carol.must('GET', `/user/repos?order_by=${order}&limit=2&page=${page}`)),
        )
        const shown: Shown[] = pages.flatMap(({ json }) => json)
        assert.ok(
          pages.every(({ headers }) => headers.get('x-total-count') === String(shown.length)),
          order,
        )
        return shown.map((repo) => `${repo.owner.login}/${repo.name}`).toSorted()
      }),
    )
    const [first, ...others] = lists
    for (const other of others) assert.deepEqual(other, first)
    return first
  }
  const seen = ['bob/apple-07', 'closed/apple-08', 'closed/fig-18', 'closed/apple-13', 'closed/pear-03'].toSorted()
  assert.deepEqual(await listed(), seen)
  await alice.must('DELETE', `/teams/${id}/repos/closed/pear-03`)
  assert.deepEqual(
    await listed(),
    seen.filter((name) => name !== 'closed/pear-03'),
  )
  await alice.must('PATCH', `/teams/${id}`, { permission: 'read', includes_all_repositories: true })
  assert.deepEqual(await listed(), seen)
})

test('repoSearch: totals match the rows after concurrent creations, moves, renames and deletions', async () => {
  await using forge = await world()
  const alice = forge.as('alice')
  const counts = async () => {
    const found: Record<string, number> = {}
    for (const query of ['is_private=true', 'is_private=false', 'template=true', 'archived=true', 'mode=fork', '']) {
      // oxlint-disable-next-line no-await-in-loop -- few requests
      const reply = await forge.as('root').get(`/repos/search?limit=50&${query}`)
      assert.equal(Number(reply.headers.get('x-total-count')), reply.json.data.length, query)
      found[query] = reply.json.data.length
    }
    for (const [who, path] of [
      ['root', '/orgs/open/repos'],
      ['carol', '/orgs/closed/repos'],
      ['carol', '/users/bob/repos'],
      ['carol', '/users/aaron/repos'],
      ['alice', '/user/repos'],
      ['carol', '/user/repos'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      const reply = await forge.as(who).get(`${path}?limit=50`)
      if (reply.status !== 200) continue
      assert.equal(Number(reply.headers.get('x-total-count')), reply.json.length, `${who}: ${path}`)
      found[`${who} ${path}`] = reply.json.length
    }
    return found
  }
  const before = await counts()
  const list: Shown[] = (await alice.get('/user/repos?limit=50')).json
  const act = ({ name, owner: { login } }: Shown, index: number): Promise<unknown> => {
    const path = `/repos/${login}/${name}`
    if (login === 'bob') return Promise.resolve()
    if (index % 5 === 0) return alice.must('DELETE', path)
    if (index % 5 === 1) return alice.must('PATCH', path, { archived: true })
    if (index % 5 === 2) return alice.must('PATCH', path, { private: index % 2 === 0, template: true })
    if (index % 5 === 3 && login !== 'alice') return alice.must('POST', `${path}/transfer`, { new_owner: 'alice' })
    return forge.as('bob').post(`${path}/forks`, {})
  }
  await Promise.all([
    ...list.map(act),
    alice.must('PATCH', '/orgs/open', { visibility: 'private' }),
    alice.must('PATCH', '/orgs/closed', { visibility: 'public' }),
    forge.as('root').must('POST', '/admin/users/bob/rename', { new_username: 'aaron' }),
  ])
  await forge.settle()
  const after = await counts()
  assert.notDeepEqual(after, before)
  const alpha: Shown[] = (await forge.as('root').get('/repos/search?sort=alpha&limit=50')).json.data
  assert.deepEqual(
    alpha.map((repo) => repo.owner.login),
    alpha.map((repo) => repo.owner.login).toSorted(),
    'by the name that an owner has now',
  )
})

test('repoSearch, userCurrentListRepos: a deep page of thousands equals that part of the whole list, for each distribution of audiences', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { db } = forge.services
  const root = forge.as('root')
  for (const visibility of ['public', 'limited', 'private']) {
    // oxlint-disable-next-line no-await-in-loop -- three of them
    await root.must('POST', '/orgs', { username: `a-${visibility}`, visibility })
  }
  // The stars are of one audience after the other, the sizes mostly the same, the rest is mixed.
  await transaction(db, (tx) =>
    sql`insert into repo (owner_id, name, lower_name, git_key, default_branch, is_private, num_stars, num_forks, git_size_bytes,
        lfs_size_bytes, created_unix, updated_unix)
      select owner.id, 'r' || n.i, 'r' || ((n.i * 7919) % 100003), 'deep' || owner.id || '-' || n.i, 'main', n.i % 3 = 0,
        case when n.i % 3 = 0 then 9000 - n.i else owner.id * 10000 + n.i end, (n.i * 31) % 97, 1024, (n.i % 5) * 1024,
        n.i, (n.i * 104729) % 10007
      from (with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 2500) select i from numbers) as n
        cross join (select id from "user" where kind = 'organization') as owner`.execute(tx),
  )
  const all = await db.selectFrom('repo').selectAll().execute()
  type Row = (typeof all)[number]
  const keys: Record<string, (row: Row) => (string | number)[]> = {
    '': (row) => [row.lower_name],
    alpha: (row) => [row.owner_lower_name, row.lower_name],
    updated: (row) => [row.updated_unix],
    size: (row) => [row.git_size_bytes + row.lfs_size_bytes],
    git_size: (row) => [row.git_size_bytes],
    stars: (row) => [row.num_stars],
    forks: (row) => [row.num_forks],
    id: () => [],
  }
  const byKeys = (key: (row: Row) => (string | number)[]) => (one: Row, other: Row) => {
    const [left, right] = [key(one), key(other)]
    const nth = left.findIndex((value, index) => value !== right[index])
    return nth < 0 ? one.id - other.id : compare(left[nth] as string | number, right[nth] as string | number)
  }
  let looked = 0
  const check = async (who: string, path: string, wanted: readonly Row[]) => {
    const pages = Math.ceil(wanted.length / 50)
    for (const page of [1, Math.floor(pages / 2) - 2, Math.floor(pages / 2) + 2, Math.floor(pages * 0.47), pages]) {
      // oxlint-disable-next-line no-await-in-loop -- the machine has few processors
      const reply = await forge.as(who).get(`${path}&limit=50&page=${page}`)
      const shown: Shown[] = reply.json.data ?? reply.json
      const expected = wanted.slice((page - 1) * 50, page * 50).map((row) => row.id)
      assert.deepEqual([path, page, ...shown.map((repo) => repo.id)], [path, page, ...expected])
      assert.equal(Number(reply.headers.get('x-total-count')), wanted.length, path)
      looked += 1
    }
  }
  for (const [nth, [sort, key]] of Object.entries(keys).entries()) {
    for (const who of ['root', 'bob']) {
      const seen = all.filter((row) => who === 'root' || row.audience <= 1)
      const isDescending = sort !== '' && (nth + who.length) % 2 === 0
      const sorted = seen.toSorted(byKeys(key))
      const wanted = isDescending ? sorted.toReversed() : sorted
      // oxlint-disable-next-line no-await-in-loop -- as above
      await check(who, `/repos/search?sort=${sort}&order=${isDescending ? 'desc' : 'asc'}`, wanted)
    }
  }
  const sorted = all.toSorted(byKeys(keys['stars'] as (row: Row) => number[]))
  await check('root', '/user/repos?order_by=feweststars', sorted)
  // Owners lead to the page, of whom some have nothing of an audience.
  const byOwner = all.toSorted(byKeys(keys['alpha'] as (row: Row) => string[]))
  await check('root', '/user/repos?order_by=alphabetically', byOwner)
  await check('root', '/user/repos?order_by=reversealphabetically', byOwner.toReversed())
  await check(
    'root',
    '/repos/search?sort=stars&is_private=false',
    sorted.filter((row) => !row.is_private),
  )
  // Many are found by a part of the name, which have what they are ordered by elsewhere.
  const isNamed = (row: Row): boolean => row.lower_name.includes('r1')
  await check('root', '/repos/search?q=r1&sort=stars', sorted.filter(isNamed))
  const named = all.filter(isNamed).toSorted(byKeys(keys[''] as (row: Row) => string[]))
  await check('root', '/repos/search?q=r1', named)
  const [{ owner_id: first } = { owner_id: 0 }] = named.toReversed()
  const rank = ({ owner_id: id }: Row): number => (id === first ? 0 : id)
  await check(
    'root',
    `/repos/search?q=r1&priority_owner_id=${first}`,
    named.toSorted((one, other) => rank(one) - rank(other)),
  )
  // Most of them are starred by somebody who does not see all of these, and is given some of the others.
  const { id: bob }: { id: number } = (await root.must('GET', '/users/bob')).json
  const isStarred = ({ id }: Row): boolean => id % 5 !== 0
  const isGiven = ({ id }: Row): boolean => id % 23 === 0
  await transaction(db, async (tx) => {
    await sql`insert into star (repo_id, user_id, created_unix) select id, ${bob}, id from repo where id % 5 <> 0`.execute(
      tx,
    )
    await sql`update "user" set num_stars = (select count(*) from star where user_id = ${bob}) where id = ${bob}`.execute(
      tx,
    )
    await sql`insert into collaboration (repo_id, user_id, access_mode, created_unix)
      select id, ${bob}, 2, id from repo where id % 23 = 0`.execute(tx)
  })
  const isSeen = (row: Row): boolean => row.audience <= 1 || isGiven(row)
  const byName = byKeys(keys[''] as (row: Row) => string[])
  await check(
    'bob',
    `/repos/search?starredBy=${bob}`,
    all.filter((row) => isStarred(row) && isSeen(row)).toSorted(byName),
  )
  await check('root', `/repos/search?starredBy=${bob}`, all.filter(isStarred).toSorted(byName))
  await check('bob', '/user/repos?order_by=feweststars', sorted.filter(isGiven))
  await check('bob', '/user/repos?order_by=reversealphabetically', byOwner.filter(isGiven).toReversed())
  await root.must('POST', '/orgs/a-limited/teams', {
    name: 'all',
    permission: 'admin',
    includes_all_repositories: true,
  })
  const [team]: { id: number }[] = (await root.must('GET', '/orgs/a-limited/teams/search?q=all')).json.data
  await root.must('PUT', `/teams/${team?.id}/members/bob`)
  const isHeld = (row: Row): boolean => isGiven(row) || row.owner_lower_name === 'a-limited'
  await check('bob', '/user/repos?order_by=feweststars', sorted.filter(isHeld))
  assert.equal(looked, 140)
})
