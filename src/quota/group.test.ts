import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { upload } from '../testing/upload.ts'

const startWithQuota = (more: Readonly<Record<string, string | number | boolean>> = {}) =>
  startForge({ users: ['alice', 'bob'], settings: { quota: { ENABLED: true, ...more } } })

const rules = '/admin/quota/rules'
const groups = '/admin/quota/groups'

/** Creates a group with one rule. */
async function givenGroup(forge: Forge, name: string, limit: number, subjects: readonly string[]): Promise<void> {
  await forge.as('root').must('POST', groups, { name, rules: [{ name: `rule of ${name}`, limit, subjects }] })
}

test('adminListQuotaRules, adminListQuotaGroups: 404 while quotas are off, and 403 for anyone but administrators', async () => {
  await using off = await startForge({ users: ['alice'] })
  for (const path of [rules, groups, '/admin/users/alice/quota', '/user/quota']) {
    assert.equal((await off.as('root').get(path)).status, 404, path)
  }
  await using forge = await startWithQuota()
  for (const path of [rules, groups, `${groups}/none/users`, '/admin/users/alice/quota']) {
    assert.equal((await forge.guest.get(path)).status, 401, path)
    assert.equal((await forge.as('alice').get(path)).status, 403, path)
  }
  assert.deepEqual((await forge.as('root').must('GET', rules)).json, [])
  assert.deepEqual((await forge.as('root').must('GET', groups)).json, [])
})

test('adminCreateQuotaRule: limits are exact integers, subjects are known, names are unique', async () => {
  await using forge = await startWithQuota()
  const root = forge.as('root')
  for (const [body, field] of [
    [{ limit: 1 }, 'name'],
    [{ name: '', limit: 1 }, 'name'],
    [{ name: 'x'.repeat(256), limit: 1 }, 'name'],
    [{ name: 'a' }, 'limit'],
    [{ name: 'a', limit: 1.5 }, 'limit'],
    [{ name: 'a', limit: '1' }, 'limit'],
    [{ name: 'a', limit: 1e300 }, 'limit'],
    [{ name: 'a', limit: 1, subjects: ['size:moon'] }, 'subjects'],
    [{ name: 'a', limit: 1, subjects: ['SIZE:ALL'] }, 'subjects'],
  ] as const) {
    const { status, json } = await root.post(rules, body)
    assert.deepEqual([status, json.message.includes(field)], [422, true], JSON.stringify(body))
  }
  const { json } = await root.must('POST', rules, { name: 'a', limit: -7, subjects: ['size:all', 'size:all'] })
  assert.deepEqual(json, { name: 'a', limit: -7, subjects: ['size:all', 'size:all'] })
  assert.equal((await root.post(rules, { name: 'a', limit: 2 })).status, 409)
  assert.deepEqual((await root.must('POST', rules, { name: 'A', limit: 2 })).json, { name: 'A', limit: 2 })
  const odd = 'a/b ?#% ü'
  await root.must('POST', rules, { name: odd, limit: 0 })
  assert.equal((await root.must('GET', `${rules}/${encodeURIComponent(odd)}`)).json.name, odd)
})

test('adminGetQuotaRule, adminEditQuotaRule, adminDEleteQuotaRule: an edit changes the given members; a deleted rule is 404', async () => {
  await using forge = await startWithQuota()
  const root = forge.as('root')
  await root.must('POST', rules, { name: 'a', limit: 1, subjects: ['size:all'] })
  const edit = async (change: object) => (await root.must('PATCH', `${rules}/a`, change)).json
  assert.deepEqual(await edit({}), { name: 'a', limit: 1, subjects: ['size:all'] })
  assert.deepEqual(await edit({ limit: 0 }), { name: 'a', limit: 0, subjects: ['size:all'] })
  assert.equal((await root.patch(`${rules}/a`, { limit: 5, subjects: ['size:moon'] })).status, 422)
  assert.deepEqual(await edit({ subjects: ['size:git:lfs'] }), { name: 'a', limit: 0, subjects: ['size:git:lfs'] })
  assert.deepEqual(await edit({ subjects: [] }), { name: 'a', limit: 0 })
  assert.equal((await root.delete(`${rules}/a`)).status, 204)
  assert.equal((await root.get(`${rules}/a`)).status, 404)
  assert.equal((await root.patch(`${rules}/a`, { limit: 1 })).status, 404)
  assert.equal((await root.delete(`${rules}/a`)).status, 404)
})

test('adminCreateQuotaGroup: existing rules are used and missing ones created, all or none', async () => {
  await using forge = await startWithQuota()
  const root = forge.as('root')
  await root.must('POST', rules, { name: 'known', limit: 10, subjects: ['size:all'] })
  const names = async () => (await root.must('GET', rules)).json.map((rule: { name: string }) => rule.name)
  const refusals = [
    { name: 'g', rules: [{ name: 'new' }, { name: 'other', subjects: ['size:moon'] }] },
    { name: 'g', rules: [{ name: 'new' }, { name: 'new', limit: 5 }] },
    { name: 'g', rules: [{ limit: 5 }] },
    { rules: [] },
  ]
  for (const body of refusals) assert.equal((await root.post(groups, body)).status, 422, JSON.stringify(body))
  assert.deepEqual(await names(), ['known'])
  assert.equal((await root.get(`${groups}/g`)).status, 404)

  const body = { name: 'g', rules: [{ name: 'new' }, { name: 'known', limit: 99 }] }
  const group = {
    name: 'g',
    rules: [
      { name: 'known', limit: 10, subjects: ['size:all'] },
      { name: 'new', limit: 0 },
    ],
  }
  assert.deepEqual((await root.must('POST', groups, body)).json, group)
  assert.equal((await root.post(groups, { name: 'g', rules: [{ name: 'third' }] })).status, 409)
  assert.deepEqual(await names(), ['known', 'new'])
  assert.deepEqual((await root.must('GET', `${groups}/g`)).json, group)
  const made = await Promise.all([1, 2, 3, 4].map(() => root.post(groups, { name: 'race', rules: [{ name: 'r' }] })))
  assert.deepEqual(
    made.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409],
  )
})

test('adminAddRuleToQuotaGroup, adminRemoveRuleFromQuotaGroup, adminGetQuotaGroup, adminDeleteQuotaGroup: rules join and leave groups', async () => {
  await using forge = await startWithQuota()
  const root = forge.as('root')
  await root.must('POST', rules, { name: 'r', limit: 1 })
  await root.must('POST', groups, { name: 'g' })
  assert.deepEqual((await root.must('GET', `${groups}/g`)).json, { name: 'g', rules: [] })
  const put = async (path: string) => (await root.put(path)).status
  assert.deepEqual(
    [
      await put(`${groups}/g/rules/none`),
      await put(`${groups}/none/rules/r`),
      await put(`${groups}/g/rules/r`),
      await put(`${groups}/g/rules/r`),
    ],
    [404, 404, 204, 409],
  )
  const remove = async (path: string) => (await root.delete(path)).status
  assert.deepEqual([await remove(`${groups}/g/rules/r`), await remove(`${groups}/g/rules/r`)], [204, 404])
  await put(`${groups}/g/rules/r`)
  await remove(`${rules}/r`)
  assert.deepEqual((await root.must('GET', `${groups}/g`)).json.rules, [], 'a deleted rule leaves its groups')
  assert.deepEqual([await remove(`${groups}/g`), await remove(`${groups}/g`)], [204, 404])
})

test('adminAddUserToQuotaGroup, adminRemoveUserFromQuotaGroup, adminListUsersInQuotaGroup: people and organizations join and leave groups', async () => {
  await using forge = await startWithQuota()
  const root = forge.as('root')
  const org = await forge.given.org()
  await givenGroup(forge, 'g', 5, ['size:all'])
  const of = `${groups}/g/users`
  const put = async (path: string) => (await root.put(path)).status
  assert.deepEqual(
    [await put(`${of}/alice`), await put(`${of}/ALICE`), await put(`${of}/${org}`), await put(`${of}/nobody`)],
    [204, 409, 204, 404],
  )
  const users = (await root.must('GET', of)).json.map((user: { login: string }) => user.login)
  assert.deepEqual(users, ['alice', org])
  const remove = async (path: string) => (await root.delete(path)).status
  assert.deepEqual([await remove(`${of}/alice`), await remove(`${of}/alice`)], [204, 404])
  await root.must('DELETE', `/orgs/${org}`)
  assert.deepEqual((await root.must('GET', of)).json, [], 'a deleted account leaves its groups')
})

test('adminSetUserQuotaGroups, adminGetUserQuota, userGetQuota: a list replaces the groups; only administrators see names', async () => {
  await using forge = await startWithQuota()
  const root = forge.as('root')
  await givenGroup(forge, 'g', 5, ['size:all'])
  await givenGroup(forge, 'h', 7, ['size:git:lfs'])
  const set = async (...names: readonly string[]) =>
    (await root.post('/admin/users/alice/quota/groups', { groups: names })).status
  const names = async () =>
    (await root.must('GET', '/admin/users/alice/quota')).json.groups.map((group: { name: string }) => group.name)
  assert.equal(await set('h', 'g', 'g'), 204)
  assert.deepEqual(await names(), ['g', 'h'])
  assert.equal(await set('h'), 204)
  assert.equal(await set('g', 'none'), 422)
  assert.deepEqual(await names(), ['h'], 'an unknown group changes nothing')
  const nothing = {
    size: {
      repos: { public: 0, private: 0 },
      git: { LFS: 0 },
      assets: { attachments: { issues: 0, releases: 0 }, artifacts: 0, packages: { all: 0 } },
    },
  }
  assert.deepEqual((await forge.as('alice').must('GET', '/user/quota')).json, {
    used: nothing,
    groups: [{ rules: [{ limit: 7, subjects: ['size:git:lfs'] }] }],
  })
  assert.equal(await set(), 204)
  assert.deepEqual((await forge.as('alice').must('GET', '/user/quota')).json, { used: nothing, groups: [] })
  assert.equal((await root.post('/admin/users/nobody/quota/groups', { groups: [] })).status, 404)
})

test('userCheckQuota: own groups override default groups, which override the total of the instance', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { quota: { ENABLED: true, DEFAULT_GROUPS: 'usual,never made' }, 'quota.default': { TOTAL: 0 } },
  })
  await forge.given.repo()
  await forge.settle()
  const root = forge.as('root')
  const check = async () => (await forge.as('alice').must('GET', '/user/quota/check?subject=size:all')).json
  assert.equal(await check(), false, 'the total of the instance')
  await givenGroup(forge, 'usual', 1e12, ['size:all'])
  assert.equal(await check(), true, 'the default group')
  assert.deepEqual(
    (await forge.as('alice').must('GET', '/user/quota')).json.groups,
    [],
    'the default group is not listed',
  )
  await givenGroup(forge, 'narrow', 0, ['size:repos:all'])
  await root.must('PUT', `${groups}/narrow/users/alice`)
  assert.equal(await check(), false, 'her own group')
  assert.equal((await forge.as('alice').post('/user/repos', { name: 'more' })).status, 413)
  await root.must('PUT', `${groups}/usual/users/alice`)
  assert.equal(await check(), true, 'one of two groups allows it')
  await root.must('PATCH', `${rules}/rule of usual`.replaceAll(' ', '%20'), { limit: -2 })
  assert.equal(await check(), false, 'a change applies at once')
})

test('orgGetQuota, orgCheckQuota: only owners may read; the groups of the organization apply', async () => {
  await using forge = await startWithQuota()
  const org = await forge.given.org()
  for (const path of ['', '/check?subject=size:all', '/attachments', '/packages', '/artifacts']) {
    const url = `/orgs/${org}/quota${path}`
    assert.equal((await forge.guest.get(url)).status, 401, url)
    assert.equal((await forge.as('bob').get(url)).status, 403, url)
    assert.equal((await forge.as('alice').get(url)).status, 200, url)
  }
  await givenGroup(forge, 'none', 0, ['size:repos:all'])
  await forge.as('root').must('PUT', `${groups}/none/users/${org}`)
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'first', auto_init: true })
  await forge.settle()
  const check = (path: string) => forge.as('alice').must('GET', `${path}/check?subject=size:all`)
  assert.equal((await check(`/orgs/${org}/quota`)).json, false)
  assert.equal((await check('/user/quota')).json, true, 'the owner herself is not charged')
  const { status, json } = await forge.as('alice').post(`/orgs/${org}/repos`, { name: 'second' })
  assert.deepEqual([status, json.username], [413, org])
})

test('userListQuotaAttachments, userListQuotaPackages, userListQuotaArtifacts, orgListQuotaAttachments, orgListQuotaPackages, orgListQuotaArtifacts: charged files are listed, largest first', async () => {
  await using forge = await startWithQuota()
  const alice = forge.as('alice')
  const issue = await forge.given.issue()
  await alice.must('POST', `${issue.api}/assets`, undefined, upload('small.txt', '12'))
  const comment = (await alice.must('POST', `${issue.api}/comments`, { body: 'x' })).json
  await forge
    .as('root')
    .must('POST', `${issue.repo.api}/issues/comments/${comment.id}/assets`, undefined, upload('c.txt', '123456'))
  const release = (await alice.must('POST', `${issue.repo.api}/releases`, { tag_name: 'v1/ü' })).json
  await alice.must('POST', `${issue.repo.api}/releases/${release.id}/assets`, undefined, upload('r.txt', '1234'))
  const { json, headers } = await alice.must('GET', '/user/quota/attachments')
  assert.equal(headers.get('x-total-count'), '3')
  const site = json[0].api_url.split('/api/v1')[0]
  assert.deepEqual(
    json.map((file: { name: string; size: number; contained_in: object }) => [file.name, file.size, file.contained_in]),
    [
      [
        'c.txt',
        6,
        {
          api_url: `${site}/api/v1${issue.repo.api}/issues/comments/${comment.id}`,
          html_url: `${site}/${issue.repo.fullName}/issues/1#issuecomment-${comment.id}`,
        },
      ],
      ['r.txt', 4, { api_url: release.url, html_url: release.html_url }],
      ['small.txt', 2, { api_url: `${site}/api/v1${issue.api}`, html_url: `${site}/${issue.repo.fullName}/issues/1` }],
    ],
  )
  for (const file of json) assert.equal((await alice.get(file.api_url.split('/api/v1')[1])).json.name, file.name)
  assert.deepEqual((await alice.must('GET', '/user/quota/attachments?limit=1&page=2')).json, [json[1]])
  assert.deepEqual((await forge.as('bob').must('GET', '/user/quota/attachments')).json, [])
  assert.deepEqual((await alice.must('GET', '/user/quota/packages')).json, [])
  assert.deepEqual((await alice.must('GET', '/user/quota/artifacts')).json, [])

  const queryCount = async () => {
    using queries = await countQueries(forge)
    await alice.must('GET', '/user/quota/attachments')
    return queries.count
  }
  const before = await queryCount()
  await alice.must('POST', `${issue.api}/assets`, undefined, upload('more.txt', '12345'))
  assert.equal(await queryCount(), before, 'four files take the queries of three')
})

test('repoDeleteFile, repoChangeFiles: over quota files can be deleted but not changed', async () => {
  await using forge = await startWithQuota()
  const alice = forge.as('alice')
  const { api } = await forge.given.repo({ owner: 'alice' })
  for (const name of ['a', 'b']) await alice.must('POST', `${api}/contents/${name}`, { content: 'eA==' })
  await givenGroup(forge, 'none', 0, ['size:repos:all'])
  await forge.as('root').must('PUT', `${groups}/none/users/alice`)
  await forge.settle()
  const shaOf = async (name: string) => (await alice.must('GET', `${api}/contents/${name}`)).json.sha
  const [a, b] = await Promise.all(['a', 'b'].map(shaOf))
  const remove = { operation: 'delete', path: 'b', sha: b }
  const add = { operation: 'create', path: 'c', content: 'eA==' }
  assert.equal((await alice.post(`${api}/contents`, { files: [remove, add] })).status, 413)
  assert.equal((await alice.post(`${api}/contents`, { files: [] })).status, 413)
  assert.equal((await alice.put(`${api}/contents/a`, { content: 'eQ==', sha: a })).status, 413)
  assert.equal((await alice.delete(`${api}/contents/a`, { sha: a })).status, 200)
  assert.equal((await alice.post(`${api}/contents`, { files: [remove] })).status, 201)
  const { json } = await alice.must('GET', `${api}/contents`)
  assert.deepEqual(
    json.map((entry: { path: string }) => entry.path),
    ['README.md'],
  )
})

test('adminCreateRepo: 413 when the owner is over quota, even for administrators', async () => {
  await using forge = await startWithQuota()
  await forge.given.repo({ owner: 'alice' })
  await givenGroup(forge, 'none', 0, ['size:repos:all'])
  await forge.as('root').must('PUT', `${groups}/none/users/alice`)
  await forge.settle()
  const make = (owner: string) => forge.as('root').post(`/admin/users/${owner}/repos`, { name: 'more' })
  const refused = await make('alice')
  assert.deepEqual([refused.status, refused.json.username], [413, 'alice'])
  assert.equal((await make('bob')).status, 201)
})
