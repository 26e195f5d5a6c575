import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../db/database.ts'
import type { ForgeClient } from '../testing/client.ts'
import { startForge, type Forge } from '../testing/forge.ts'

const color = '#112233'
const board = { title: 'Board', layout: 'board', grouping: 'label', label_scope: 'status', query: 'is:open' }

/** Adds the exclusive labels `status/…`; returns their ids by name. */
async function addStatus(client: ForgeClient, path: string, ...names: readonly string[]) {
  const ids: Record<string, number> = {}
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop -- their order is that of their ids
    const { json } = await client.must('POST', path, { name: `status/${name}`, color, exclusive: true })
    ids[name] = json.id
  }
  return ids
}

/** Opens issues with the given titles; returns the ids by title. */
async function open(client: ForgeClient, api: string, titles: readonly string[], more: object = {}) {
  const ids: Record<string, number> = {}
  for (const title of titles) {
    // oxlint-disable-next-line no-await-in-loop -- their order is that of their ids
    ids[title] = (await client.must('POST', `${api}/issues`, { title, ...more })).json.id
  }
  return ids
}

/** A view's columns, each with the titles of its cards in their order. */
async function shown(client: ForgeClient, view: string): Promise<Record<string, string[]>> {
  const { json: columns } = await client.must('GET', `${view}/columns`)
  const lists = await Promise.all(
    columns.map(async ({ value, count }: { value: string; count: number }) => {
      const { json } = await client.must('GET', `${view}/issues?column=${encodeURIComponent(value)}`)
      assert.equal(json.length, count)
      return [value, json.map(({ title }: { title: string }) => title)] as const
    }),
  )
  return Object.fromEntries(lists)
}

const startWithAlice = (more: Parameters<typeof startForge>[0] = {}) =>
  startForge({ users: ['alice', 'bob', 'cleo'], ...more })

const givenBoard = async (forge: Forge, settings: object = {}) => {
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice', name: 'plan' })
  const labels = await addStatus(alice, `${repo.api}/labels`, 'todo', 'doing', 'done')
  const { json } = await alice.must('POST', `${repo.api}/views`, { ...board, ...settings })
  return { alice, repo, labels, view: `${repo.api}/views/${json.id}`, id: json.id as number }
}

test('repoCreateView, repoEditView, repoListViews, repoDeleteView: settings that no view has are refused, and a query is stored in its usual form', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, view } = await givenBoard(forge)
  const create = (body: object) => alice.send('POST', `${repo.api}/views`, body)
  for (const [body, code] of [
    [{ ...board, title: ' ' }, 'view_title_empty'],
    [{ ...board, title: 'x'.repeat(256) }, 'view_too_long'],
    [{ ...board, query: 'is:open is:nonsense' }, 'view_query_invalid'],
    [{ ...board, query: 'label:"never ends' }, 'view_query_invalid'],
    [{ ...board, query: 'x '.repeat(600) }, 'view_too_long'],
    [{ ...board, grouping: 'none' }, 'view_grouping_missing'],
    [{ ...board, label_scope: '/' }, 'view_scope_missing'],
    [{ ...board, columns: Array.from({ length: 51 }, (_, index) => `${index}`) }, 'view_too_long'],
    [{ title: 'Board', layout: 'cube' }, 'invalid'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const reply = await create(body)
    assert.deepEqual([reply.status, reply.json.code], [422, code], JSON.stringify(body).slice(0, 100))
  }
  const made = await create({
    title: ' Mine ',
    query: '  crack   state:open assignee:me',
    layout: 'list',
    grouping: 'none',
  })
  assert.equal(made.status, 201)
  assert.deepEqual(
    [made.json.title, made.json.query, made.json.layout, made.json.grouping],
    ['Mine', 'is:open assignee:me crack', 'list', 'none'],
  )
  assert.equal((await alice.must('GET', made.json.url.slice(made.json.url.indexOf('/repos')))).json.title, 'Mine')
  const edited = await alice.must('PATCH', view, { title: 'Other', label_scope: 'kind/' })
  assert.deepEqual([edited.json.title, edited.json.label_scope, edited.json.query], ['Other', 'kind', 'is:open'])
  assert.equal((await alice.send('PATCH', view, { layout: 'board', grouping: 'none' })).status, 422)
  const list = await alice.must('GET', `${repo.api}/views?limit=1`)
  assert.deepEqual([list.json.length, list.headers.get('x-total-count')], [1, '2'])
  await alice.must('DELETE', view)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assert.equal((await alice.send(method, view, method === 'PATCH' ? {} : undefined)).status, 404)
  }
})

test('repoCreateView: a repository has at most a hundred views, also when two are added at once', async () => {
  await using forge = await startWithAlice()
  const { alice, repo } = await givenBoard(forge)
  const create = () => alice.send('POST', `${repo.api}/views`, board)
  for (let count = 1; count < 99; count++) {
    // oxlint-disable-next-line no-await-in-loop -- the limit is met at the end
    assert.equal((await create()).status, 201)
  }
  const statuses = (await Promise.all([create(), create(), create()])).map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [201, 422, 422],
  )
})

test('repoListViewColumns, repoListViewIssues: the columns are the labels of the scope, in their order', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, labels, view } = await givenBoard(forge)
  await alice.must('POST', `${repo.api}/labels`, { name: 'status/loose', color, exclusive: false })
  await alice.must('POST', `${repo.api}/labels`, { name: 'status/deep/er', color, exclusive: true })
  await open(alice, repo.api, ['a', 'b'])
  await open(alice, repo.api, ['c'], { labels: [labels['doing']] })
  await alice.must('PATCH', `${repo.api}/issues/1`, { state: 'closed' })
  assert.deepEqual(await shown(alice, view), {
    '': ['b'],
    'status/todo': [],
    'status/doing': ['c'],
    'status/done': [],
  })
  await alice.must('PATCH', view, { columns: ['status/done', 'status/none', ''] })
  assert.deepEqual(Object.keys(await shown(alice, view)), ['status/done', '', 'status/todo', 'status/doing'])
  const { json } = await alice.must('GET', `${view}/issues`)
  assert.deepEqual(json.map(({ title }: { title: string }) => title).toSorted(), ['b', 'c'])
  assert.deepEqual((await alice.must('GET', `${view}/issues?column=status/none`)).json, [])
})

test('repoMoveViewCard: a move sets what the column stands for, with its events, and keeps the place', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, view } = await givenBoard(forge)
  const ids = await open(alice, repo.api, ['a', 'b', 'c', 'd'])
  const move = (issue: string, body: object) => alice.must('POST', `${view}/moves`, { issue: ids[issue], ...body })
  assert.deepEqual((await shown(alice, view))[''], ['d', 'c', 'b', 'a'])
  await move('a', { column: '', from: '', after: ids['c'] })
  assert.deepEqual((await shown(alice, view))[''], ['d', 'c', 'a', 'b'])
  await move('b', { after: 0 })
  assert.deepEqual((await shown(alice, view))[''], ['b', 'd', 'c', 'a'])
  await move('c', { column: 'status/doing', after: 0 })
  await move('d', { column: 'status/doing', after: ids['c'] })
  await move('a', { column: 'status/doing', after: ids['c'] })
  assert.deepEqual(await shown(alice, view), {
    '': ['b'],
    'status/todo': [],
    'status/doing': ['c', 'a', 'd'],
    'status/done': [],
  })
  await move('a', { column: 'status/todo' })
  await move('c', { column: '' })
  const { json: timeline } = await alice.must('GET', `${repo.api}/issues/1/timeline`)
  assert.deepEqual(
    timeline.map(({ type, body, label }: { type: string; body: string; label: { name: string } }) => [
      type,
      body,
      label.name,
    ]),
    [
      ['label', '1', 'status/doing'],
      ['label', '', 'status/doing'],
      ['label', '1', 'status/todo'],
    ],
  )
  const { json: events } = await alice.must('GET', `${repo.api}/events?after=oldest&kind=view.arranged,view.created`)
  assert.equal(events.events.length, 6)
  const refused = await alice.send('POST', `${view}/moves`, { issue: ids['a'], column: 'status/gone' })
  assert.deepEqual([refused.status, refused.json.code], [422, 'label_not_found'])
  assert.deepEqual((await shown(alice, view))['status/todo'], ['a'])
  const other = await forge.given.repo({ owner: 'alice', name: 'other' })
  const foreign = await open(alice, other.api, ['x'])
  assert.equal((await alice.send('POST', `${view}/moves`, { issue: foreign['x'], column: '' })).status, 404)
  assert.equal((await alice.send('POST', `${view}/moves`, { issue: 99_999, column: '' })).status, 404)
})

test('repoMoveViewCard: columns of states, milestones and people', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, view, id } = await givenBoard(forge, { grouping: 'state', query: 'is:open' })
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  await alice.must('POST', `${repo.api}/milestones`, { title: 'later' })
  await alice.must('POST', `${repo.api}/milestones`, { title: 'sooner', due_on: '2030-01-01T00:00:00Z' })
  const ids = await open(alice, repo.api, ['a', 'b'])
  const move = (issue: string, body: object) => alice.send('POST', `${view}/moves`, { issue: ids[issue], ...body })
  assert.equal((await move('a', { column: 'closed' })).status, 204)
  assert.deepEqual(await shown(alice, view), { open: ['b'], closed: ['a'] }, 'the query names a state in vain')
  assert.equal((await move('a', { column: 'nowhere' })).json.code, 'view_column_unknown')
  await alice.must('POST', `${repo.api}/issues/2/dependencies`, { owner: 'alice', repo: 'plan', index: 1 })
  assert.equal((await move('a', { column: 'open' })).status, 204)
  assert.deepEqual((await move('b', { column: 'closed', after: 0 })).json.code, 'dependency_open')

  await alice.must('PATCH', view, { grouping: 'milestone' })
  assert.equal((await move('a', { column: 'sooner' })).status, 204)
  assert.equal((await move('b', { column: 'never' })).json.code, 'milestone_not_found')
  assert.deepEqual(await shown(alice, view), { '': ['b'], sooner: ['a'], later: [] })
  await alice.must('PATCH', `${repo.api}/milestones/sooner`, { title: 'now & <then>' })
  assert.deepEqual(Object.keys(await shown(alice, view)), ['', 'now & <then>', 'later'], 'columns follow a new title')
  await alice.must('DELETE', `${repo.api}/milestones/later`)
  assert.equal((await move('a', { column: '' })).status, 204)
  assert.deepEqual(await shown(alice, view), { '': ['b', 'a'], 'now & <then>': [] })

  await alice.must('PATCH', view, { grouping: 'assignee' })
  await alice.must('PATCH', `${repo.api}/issues/1`, { assignees: ['alice', 'bob'] })
  assert.deepEqual(await shown(alice, view), { '': ['b'], alice: ['a'], bob: ['a'] })
  assert.equal((await move('a', { column: '', from: 'bob' })).status, 204)
  assert.deepEqual(await shown(alice, view), { '': ['b'], alice: ['a'] })
  assert.equal((await move('a', { column: 'bob', from: '' })).status, 204)
  assert.deepEqual(await shown(alice, view), { '': ['b'], alice: ['a'], bob: ['a'] })
  assert.equal((await move('a', { column: 'nobody-here', from: 'bob' })).json.code, 'assignee_unknown')
  assert.equal((await move('a', { column: 'bob' })).status, 204)
  assert.deepEqual(await shown(alice, view), { '': ['b'], alice: [], bob: ['a'] })
  assert.equal((await alice.must('GET', view)).json.id, id)
})

test('repoMoveViewCard: two people who move at once keep one place for each card and one label of the scope', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, view } = await givenBoard(forge)
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  const titles = ['a', 'b', 'c', 'd', 'e', 'f']
  const ids = await open(alice, repo.api, titles)
  const bob = forge.as('bob')
  const columns = ['status/todo', 'status/doing', 'status/done']
  const replies = await Promise.all(
    Array.from({ length: 48 }, (_, turn) =>
      (turn % 2 === 0 ? alice : bob).send('POST', `${view}/moves`, {
        issue: ids[titles[turn % 6] as string],
        column: columns[turn % 3],
        after: turn % 4 === 0 ? 0 : ids[titles[(turn + 3) % 6] as string],
      }),
    ),
  )
  assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [204])
  const found = Object.values(await shown(alice, view)).flat()
  assert.deepEqual(found.toSorted(), titles, 'each card is in one column')
  const ranks = await forge.services.db.selectFrom('saved_view_card').select('rank').execute()
  assert.equal(new Set(ranks.map(({ rank }) => rank)).size, 6)
})

test('repoMoveViewCard: cards fit between two others without end', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, view } = await givenBoard(forge)
  const ids = await open(alice, repo.api, ['a', 'b', 'first'])
  for (const [issue, after] of [
    ['b', 'first'],
    ['a', 'first'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await alice.must('POST', `${view}/moves`, { issue: ids[issue], after: ids[after] })
  }
  for (let turn = 0; turn < 45; turn++) {
    const issue = turn % 2 === 0 ? 'b' : 'a'
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await alice.must('POST', `${view}/moves`, { issue: ids[issue], after: ids['first'] })
  }
  assert.deepEqual((await shown(alice, view))[''], ['first', 'b', 'a'])
})

test('repoGetView, repoMoveViewCard: the unit of projects decides who sees and who moves', async () => {
  await using forge = await startWithAlice({ users: ['alice', 'bob', 'cleo', 'dora'] })
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: 'secret', private: true, auto_init: true })
  const api = '/repos/guild/secret'
  await addStatus(alice, `${api}/labels`, 'todo')
  const { json } = await alice.must('POST', `${api}/views`, board)
  const view = `${api}/views/${json.id}`
  const ids = await open(alice, api, ['a'])
  for (const [login, units] of [
    ['bob', { 'repo.issues': 'write', 'repo.projects': 'write' }],
    ['cleo', { 'repo.issues': 'write', 'repo.code': 'read' }],
    ['dora', { 'repo.projects': 'read' }],
  ] as const) {
    const team = { name: `of-${login}`, units_map: units, includes_all_repositories: true }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { json: made } = await alice.must('POST', '/orgs/guild/teams', team)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await alice.must('PUT', `/teams/${made.id}/members/${login}`)
  }
  const statusesOf = async (login: string) => {
    const client = forge.as(login)
    return [
      (await client.send('GET', view)).status,
      (await client.send('PATCH', view, { title: 'Mine' })).status,
      (await client.send('POST', `${view}/moves`, { issue: ids['a'], column: 'status/todo' })).status,
    ]
  }
  assert.deepEqual(await statusesOf('bob'), [200, 200, 204])
  assert.deepEqual(await statusesOf('cleo'), [404, 404, 404])
  assert.deepEqual(await statusesOf('dora'), [200, 403, 403])
  assert.deepEqual(await shown(forge.as('dora'), view), { '': [], 'status/todo': [] }, 'dora reads no issues')
  assert.deepEqual((await shown(forge.as('bob'), view))['status/todo'], ['a'])
  assert.equal((await forge.guest.send('GET', view)).status, 404)
  await alice.must('PATCH', api, { has_projects: false })
  assert.deepEqual(await statusesOf('alice'), [404, 404, 404])
  await alice.must('PATCH', api, { has_projects: true })
  await alice.must('PATCH', api, { archived: true })
  assert.deepEqual(await statusesOf('alice'), [200, 423, 423])
})

test('repoMoveViewCard: somebody who may write projects but not issues moves within a column only', async () => {
  await using forge = await startWithAlice()
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: 'open', auto_init: true })
  const api = '/repos/guild/open'
  await addStatus(alice, `${api}/labels`, 'todo')
  const { json } = await alice.must('POST', `${api}/views`, board)
  const ids = await open(alice, api, ['a', 'b'])
  const team = { name: 'planners', units_map: { 'repo.projects': 'write' }, includes_all_repositories: true }
  const { json: made } = await alice.must('POST', '/orgs/guild/teams', team)
  await alice.must('PUT', `/teams/${made.id}/members/bob`)
  const bob = forge.as('bob')
  const view = `${api}/views/${json.id}`
  await bob.must('POST', `${view}/moves`, { issue: ids['a'], after: 0 })
  const refused = await bob.send('POST', `${view}/moves`, { issue: ids['a'], column: 'status/todo', after: 0 })
  assert.deepEqual([refused.status, refused.json.code], [403, 'write_access_needed'])
  assert.deepEqual((await shown(bob, view))[''], ['a', 'b'])
})

test('orgListViews, orgCreateView, orgGetView, orgEditView, orgDeleteView: teams with the unit of projects write, others read what is open', async () => {
  await using forge = await startWithAlice({ users: ['alice', 'bob', 'cleo', 'dora'] })
  const [alice, bob, cleo] = [forge.as('alice'), forge.as('bob'), forge.as('cleo')]
  await forge.given.org({ owner: 'alice', name: 'guild' })
  for (const [login, units] of [
    ['bob', { 'repo.projects': 'write' }],
    ['cleo', { 'repo.code': 'read' }],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { json: made } = await alice.must('POST', '/orgs/guild/teams', { name: `of-${login}`, units_map: units })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await alice.must('PUT', `/teams/${made.id}/members/${login}`)
  }
  const path = '/orgs/guild/views'
  const { json } = await bob.must('POST', path, { ...board, grouping: 'state' })
  const view = `${path}/${json.id}`
  assert.match(json.html_url, /\/org\/guild\/projects\/\d+$/)
  assert.equal((await cleo.send('POST', path, board)).status, 403)
  assert.equal((await forge.guest.send('POST', path, board)).status, 401)
  assert.equal((await forge.guest.must('GET', path)).json.length, 1)
  await alice.must('PATCH', '/orgs/guild', { visibility: 'private' })
  assert.deepEqual(
    await Promise.all(
      [alice, bob, cleo, forge.as('dora'), forge.guest].map(async (client) => (await client.send('GET', view)).status),
    ),
    [200, 200, 404, 404, 404],
  )
  assert.equal((await bob.must('PATCH', view, { title: 'Ours' })).json.title, 'Ours')
  await bob.must('DELETE', view)
  assert.deepEqual((await bob.must('GET', path)).json, [])
})

test('orgListViewColumns, orgListViewIssues, orgMoveViewCard: a view of an organization spans the repositories that its reader may read', async () => {
  await using forge = await startWithAlice()
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  await forge.given.org({ owner: 'alice', name: 'guild' })
  for (const [name, isPrivate] of [
    ['open', false],
    ['secret', true],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await alice.must('POST', '/orgs/guild/repos', { name, private: isPrivate, auto_init: true })
  }
  await addStatus(alice, '/orgs/guild/labels', 'todo', 'done')
  await addStatus(alice, '/repos/guild/open/labels', 'local')
  const { json } = await alice.must('POST', '/orgs/guild/views', board)
  const view = `/orgs/guild/views/${json.id}`
  const inOpen = await open(alice, '/repos/guild/open', ['a', 'b'])
  const inSecret = await open(alice, '/repos/guild/secret', ['c'])
  await open(alice, (await forge.given.repo({ owner: 'alice', name: 'elsewhere' })).api, ['x'])
  const move = (client: ForgeClient, issue: number | undefined, body: object) =>
    client.send('POST', `${view}/moves`, { issue, ...body })
  assert.equal((await move(alice, inSecret['c'], { column: 'status/done', after: 0 })).status, 204)
  assert.equal((await move(alice, inOpen['a'], { column: 'status/local', after: 0 })).status, 204)
  const refused = await move(alice, inSecret['c'], { column: 'status/local' })
  assert.deepEqual([refused.status, refused.json.code], [422, 'label_not_found'])
  assert.deepEqual(await shown(alice, view), {
    '': ['b'],
    'status/todo': [],
    'status/done': ['c'],
    'status/local': ['a'],
  })
  assert.deepEqual(await shown(bob, view), { '': ['b'], 'status/todo': [], 'status/done': [], 'status/local': ['a'] })
  assert.equal((await move(bob, inOpen['a'], { column: '' })).status, 403)
  await alice.must('PATCH', '/repos/guild/open', { archived: true })
  assert.equal((await move(alice, inOpen['a'], { column: '' })).status, 423)
  await alice.must('POST', '/repos/guild/secret/transfer', { new_owner: 'alice' })
  assert.deepEqual((await shown(alice, view))['status/done'], [], 'what was transferred is no longer here')
  assert.equal((await move(alice, inSecret['c'], { column: '' })).status, 404)
})

test('userListViews, userCreateView, userGetView, userEditView, userDeleteView, userListViewColumns, userListViewIssues, userMoveViewCard: the views of a person are theirs alone and span what they may read', async () => {
  await using forge = await startWithAlice()
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const one = await forge.given.repo({ owner: 'alice', name: 'one' })
  const two = await forge.given.repo({ owner: 'bob', name: 'two', private: true })
  await addStatus(alice, `${one.api}/labels`, 'doing')
  const ids = await open(alice, one.api, ['a'], { assignees: ['alice'] })
  await open(alice, one.api, ['unassigned'])
  await open(bob, two.api, ['hidden'])
  const { json } = await alice.must('POST', '/user/views', { ...board, query: 'is:open assignee:me' })
  const view = `/user/views/${json.id}`
  assert.deepEqual(await shown(alice, view), { '': ['a'], 'status/doing': [] })
  await alice.must('POST', `${view}/moves`, { issue: ids['a'], column: 'status/doing', after: 0 })
  assert.deepEqual((await shown(alice, view))['status/doing'], ['a'])
  assert.equal((await bob.send('GET', view)).status, 404)
  assert.equal((await forge.as('root').send('GET', view)).status, 404)
  assert.deepEqual((await bob.must('GET', '/user/views')).json, [])
  assert.equal((await alice.must('PATCH', view, { query: 'is:open' })).json.query, 'is:open')
  assert.deepEqual((await shown(alice, view))[''], ['unassigned'])
  await alice.must('PATCH', view, { query: 'author:nobody-here' })
  assert.deepEqual((await shown(alice, view))[''], [])
  await alice.must('DELETE', view)
  assert.equal((await alice.send('GET', view)).status, 404)
  assert.equal((await forge.guest.send('GET', '/user/views')).status, 401)
})

test('orgListViews, userCreateView: an instance without the unit of projects has no views', async () => {
  await using forge = await startWithAlice({ settings: { repository: { DISABLED_REPO_UNITS: 'repo.projects' } } })
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const repo = await forge.given.repo({ owner: 'alice', name: 'plan' })
  for (const path of ['/orgs/guild/views', '/user/views', `${repo.api}/views`]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assert.equal((await alice.send('POST', path, board)).status, 404, path)
  }
})

test('repoListViewIssues: a view shows the first thousand matches and says when there are more', async () => {
  await using forge = await startWithAlice()
  const { alice, repo, view } = await givenBoard(forge, { query: 'sort:created-asc' })
  const { id } = await alice.must('GET', repo.api).then(({ json }) => json)

  await transaction(forge.services.db, async (tx) => {
    const rows = Array.from({ length: 1005 }, (_, at) => ({
      repo_id: id,
      index: at + 1,
      poster_id: 1 as never,
      title: `t${at}`,
      content: '',
      created_unix: at + 1,
      updated_unix: at + 1,
    }))
    for (let from = 0; from < rows.length; from += 500) {
      // oxlint-disable-next-line no-await-in-loop -- one statement has a limited number of values
      await tx
        .insertInto('issue')
        .values(rows.slice(from, from + 500))
        .execute()
    }
    await tx.updateTable('repo').set({ num_issues: 1005 }).where('id', '=', id).execute()
  })
  const { json, headers } = await alice.must('GET', `${view}/issues?limit=50&page=20`)
  assert.deepEqual(
    [json.length, json.at(-1).title, headers.get('x-total-count'), headers.get('x-result-bounded')],
    [50, 't999', '1000', 'rows'],
  )
})
