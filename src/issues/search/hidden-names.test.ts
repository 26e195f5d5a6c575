import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('issueSearchIssues: labels and milestones of hidden repositories answer like names that do not exist', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const open = await forge.given.repo({ owner: 'bob', name: 'open' })
  await forge.as('bob').must('POST', `${open.api}/issues`, { title: 'visible' })
  const shut = await forge.given.repo({ owner: 'alice', name: 'shut', private: true })
  const alice = forge.as('alice')
  await alice.must('POST', `${shut.api}/labels`, { name: 'secret', color: '#123456' })
  await alice.must('POST', `${shut.api}/milestones`, { title: 'codename' })
  await alice.must('POST', '/orgs', { username: 'cabal', visibility: 'private' })
  await alice.must('POST', '/orgs/cabal/labels', { name: 'plot', color: '#123456' })
  const titles = async (who: typeof alice, query: string) =>
    (await who.get(`/repos/issues/search?${query}`)).json.map(({ title }: { title: string }) => title)
  for (const query of ['labels=secret', 'labels=plot', 'labels=unknown', 'milestones=codename', 'milestones=unknown']) {
    for (const who of [forge.guest, forge.as('bob')]) {
      // oxlint-disable-next-line no-await-in-loop -- few requests
      assert.deepEqual([query, await titles(who, query)], [query, ['visible']])
    }
  }
  for (const query of ['labels=secret', 'labels=plot', 'milestones=codename']) {
    // oxlint-disable-next-line no-await-in-loop -- few requests
    assert.deepEqual([query, await titles(alice, query)], [query, []], 'a name that the caller sees is a filter')
  }
})

test('issueSearchIssues: issues and pull requests of a disabled unit are not shown', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/issues`, { title: 'a hidden word' })
  const found = async (who: typeof alice, query: string) => {
    const { headers, json } = await who.get(`/repos/issues/search?${query}`)
    return [headers.get('x-total-count'), json.length]
  }
  const queries = ['', 'q=word', 'owner=alice', 'created=true', 'since=2000-01-01T00:00:00Z', 'labels=unknown']
  for (const query of queries) assert.deepEqual([query, await found(alice, query)], [query, ['1', 1]])
  await alice.must('PATCH', repo.api, { has_issues: false })
  for (const query of queries) {
    for (const who of [alice, forge.as('bob'), forge.guest, forge.as('root')]) {
      // oxlint-disable-next-line no-await-in-loop -- few requests
      assert.deepEqual([query, await found(who, query)], [query, ['0', 0]])
    }
  }
})

test('filters by account: a hidden account answers like one that does not exist', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'hidden'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'one' })
  await forge.as('root').must('PATCH', '/admin/users/hidden', {
    login_name: 'hidden',
    source_id: 0,
    visibility: 'private',
  })
  const addresses = [
    '/repos/issues/search?owner=@',
    '/repos/issues/search?owner=@&team=x',
    ...['created_by', 'assigned_by', 'mentioned_by'].map((name) => `${repo.api}/issues?${name}=@`),
    `${repo.api}/pulls?poster=@`,
    `${repo.api}/times?user=@`,
    `${repo.api}/issues/1/times?user=@`,
  ]
  const answer = async (who: typeof forge.guest, address: string, name: string) => {
    const { status, json } = await who.get(address.replace('@', name))
    return [address, status, JSON.stringify(json).replaceAll(name, '@')]
  }
  for (const address of addresses) {
    for (const who of [forge.guest, forge.as('bob')]) {
      // oxlint-disable-next-line no-await-in-loop -- few requests
      const [shown, unknown] = [await answer(who, address, 'hidden'), await answer(who, address, 'nobody')]
      assert.deepEqual(shown.slice(0, 2), unknown.slice(0, 2))
    }
  }
  const bob = forge.as('bob')
  for (const method of ['put', 'delete'] as const) {
    const subscribe = (name: string) => bob[method](`${repo.api}/issues/1/subscriptions/${name}`)
    // oxlint-disable-next-line no-await-in-loop -- two requests
    assert.equal((await subscribe('hidden')).status, (await subscribe('nobody')).status)
  }
})
