import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

const color = '#112233'

/** A repository of alice with labels `status/…` and three issues, which bob may write. */
async function givenPlan(forge: Forge) {
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice', name: 'plan' })
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  for (const name of ['status/todo', 'status/doing']) {
    // oxlint-disable-next-line no-await-in-loop -- their order is that of their ids
    await alice.must('POST', `${repo.api}/labels`, { name, color, exclusive: true })
  }
  const ids: number[] = []
  for (const title of ['one', 'two', 'three & <more>']) {
    // oxlint-disable-next-line no-await-in-loop -- their order is that of their ids
    ids.push((await alice.must('POST', `${repo.api}/issues`, { title })).json.id)
  }
  return { repo, ids, path: `/${repo.fullName}/projects` }
}

const settings = { title: 'Flow', query: 'is:open', layout: 'board', grouping: 'label', label_scope: 'status' }

/** The titles of the cards in each column of a page. */
const columnsOf = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    [...text.matchAll(/<section class="board-column" aria-label="([^"]*)"[\s\S]*?<\/section>/g)].map(
      ([part, name = '']) => [
        name,
        [...part.matchAll(/class="card-title"[^>]*>([^<]*)</g)].map(([, title = '']) => title),
      ],
    ),
  )

test('repositoryViewsPage, newRepositoryViewPage, createRepositoryView, editRepositoryViewPage, editRepositoryView, deleteRepositoryView: a view is made, changed and deleted by forms', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'cleo'] })
  const { path } = await givenPlan(forge)
  const [alice, cleo] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'cleo')]
  assert.match((await forge.guest.send('GET', path, undefined, { site: true })).text, /No views yet/)
  assert.doesNotMatch((await cleo.get(path)).text, /New view/)
  assert.equal((await cleo.get(`${path}/new`)).status, 403)
  const list = `${path.replace('projects', 'issues')}?q=is%3Aopen+label%3Abug`
  assert.match((await alice.get(list)).text, /href="[^"]*\/projects\/new\?q=is%3Aissue\+is%3Aopen\+label%3Abug"/)
  assert.doesNotMatch((await cleo.get(list)).text, /projects\/new/)
  assert.match((await alice.get(`${path}/new?q=is%3Aopen+label%3Abug`)).text, /value="is:open label:bug"/)
  const refused = await alice.submit(`${path}/new`, `${path}/new`, { ...settings, query: 'is:odd' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /id="query_problem"[^>]*>[^<]*is:odd/)
  assert.match(refused.text, /value="Flow"/)
  const made = await alice.submit(`${path}/new`, `${path}/new`, { ...settings, columns: 'status/doing\r\n\r\n' })
  assert.equal(made.status, 303)
  const view = made.headers.get('location') ?? ''
  const shown = await cleo.get(view)
  assert.deepEqual(columnsOf(shown.text), {
    doing: [],
    'No status': ['three &amp; &lt;more>', 'two', 'one'],
    todo: [],
  })
  assert.doesNotMatch(shown.text, /data-board=|draggable|>Edit</)
  assert.match((await alice.get(path)).text, /Board by status\/…/)
  const edit = await alice.get(`${view}/edit`)
  assert.match(edit.text, />status\/doing\n<\/textarea>/)
  const edited = await alice.submit(`${view}/edit`, `${view}/edit`, { ...settings, title: 'List', layout: 'list' })
  assert.deepEqual([edited.status, edited.headers.get('location')], [303, view])
  assert.match((await cleo.get(view)).text, /<ul class="rows hoverable"[\s\S]*three &amp; &lt;more>/)
  const deleted = await alice.submit(`${view}/edit`, `${view}/delete`)
  assert.deepEqual([deleted.status, deleted.headers.get('location')], [303, path])
  assert.equal((await alice.get(view)).status, 404)
})

test('repositoryViewPage, moveRepositoryCard: without scripts, a form on the card moves it, and a refusal says why', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, path, ids } = await givenPlan(forge)
  const { json } = await forge.as('alice').must('POST', `${repo.api}/views`, settings)
  const view = `${path}/${json.id}`
  const bob = await Browser.of(forge, 'bob')
  assert.doesNotMatch((await bob.get(view)).text, /class="card-form"/)
  const withForm = `${view}?card=${ids[0]}`
  assert.equal((await bob.get(withForm)).text.match(/class="card-form"/g)?.length, 1)
  const moved = await bob.submit(withForm, `${view}/move`, { column: 'status/doing', place: 'first' })
  assert.deepEqual([moved.status, moved.headers.get('location')], [303, view])
  await bob.submit(`${view}?card=${ids[1]}`, `${view}/move`, { column: 'status/doing', place: 'last' })
  assert.deepEqual(columnsOf((await bob.get(view)).text), {
    'No status': ['three &amp; &lt;more>'],
    todo: [],
    doing: ['one', 'two'],
  })
  const refused = await bob.submit(withForm, `${view}/move`, { column: 'status/gone', place: 'first' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /class="card-form"[\s\S]*?role="alert"[\s\S]*?no exclusive label status\/gone/)
})

test('placeRepositoryCard, placeOrganizationCard, placeOwnCard: the script moves cards, and gets the reason of a refusal as a text', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'cleo'] })
  const { repo, path, ids } = await givenPlan(forge)
  const alice = await Browser.of(forge, 'alice')
  const { json } = await forge.as('alice').must('POST', `${repo.api}/views`, settings)
  const view = `${path}/${json.id}`
  const csrf = /data-csrf="([^"]+)"/.exec((await alice.get(view)).text)?.[1] ?? ''
  const place = (browser: Browser, at: string, fields: Record<string, string>) =>
    browser.send('POST', `${at}/cards`, { _csrf: csrf, ...fields }, { accept: 'text/plain' })
  const card = { issue: String(ids[0]), from: '', after: '0' }
  assert.equal((await place(alice, view, { ...card, column: 'status/todo' })).status, 204)
  assert.deepEqual(columnsOf((await alice.get(view)).text)['todo'], ['one'])
  const refused = await place(alice, view, { ...card, column: 'status/gone' })
  assert.deepEqual([refused.status, refused.text], [422, 'the repository has no exclusive label status/gone\n'])
  assert.equal((await place(alice, view, { ...card, _csrf: 'x', column: '' })).status, 403)
  assert.equal((await place(new Browser(forge), view, card)).status, 303)
  const cleo = await Browser.of(forge, 'cleo')
  await cleo.get(view)
  assert.equal((await place(cleo, view, { ...card, _csrf: cleo.cookies.get('_csrf') ?? '', column: '' })).status, 403)

  await forge.given.org({ owner: 'alice', name: 'guild' })
  const ofOrg = await forge.as('alice').must('POST', '/orgs/guild/views', { ...settings, grouping: 'state' })
  const own = await forge.as('alice').must('POST', '/user/views', { ...settings, grouping: 'state' })
  assert.equal((await place(alice, `/org/guild/projects/${ofOrg.json.id}`, card)).status, 404, 'of another owner')
  const closing = { ...card, column: 'closed', from: 'open' }
  assert.equal((await place(alice, `/user/projects/${own.json.id}`, closing)).status, 204)
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/issues/1`)).json.state, 'closed')
})

test('organizationViewsPage, newOrganizationViewPage, createOrganizationView, organizationViewPage, editOrganizationViewPage, editOrganizationView, deleteOrganizationView, moveOrganizationCard: an organization has views of its repositories', async () => {
  await using forge = await startForge({ users: ['alice', 'cleo'] })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await forge.as('alice').must('POST', '/orgs/guild/repos', { name: 'one', auto_init: true })
  const { json } = await forge.as('alice').must('POST', '/repos/guild/one/issues', { title: 'first' })
  const path = '/org/guild/projects'
  const [alice, cleo] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'cleo')]
  assert.match((await cleo.get(path)).text, /No views yet/)
  assert.equal((await cleo.get(`${path}/new`)).status, 403)
  const made = await alice.submit(`${path}/new`, `${path}/new`, { ...settings, grouping: 'state' })
  const view = made.headers.get('location') ?? ''
  assert.match((await cleo.get(view)).text, /guild\/one#1/)
  const moved = await alice.submit(`${view}?card=${json.id}`, `${view}/move`, { column: 'closed', place: 'first' })
  assert.equal(moved.status, 303)
  assert.deepEqual(columnsOf((await cleo.get(view)).text), { Open: [], Closed: ['first'] })
  const edited = await alice.submit(`${view}/edit`, `${view}/edit`, {
    ...settings,
    query: '',
    layout: 'timeline',
    grouping: 'none',
  })
  assert.equal(edited.status, 303)
  assert.match((await cleo.get(view)).text, /class="timeline-bar"/)
  assert.equal((await alice.submit(`${view}/edit`, `${view}/delete`)).status, 303)
  assert.match((await cleo.get('/guild')).text, /href="\/org\/guild\/projects"/)
})

test('ownViewsPage, newOwnViewPage, createOwnView, ownViewPage, editOwnViewPage, editOwnView, deleteOwnView, moveOwnCard: a person has views of everything that they may read', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { ids } = await givenPlan(forge)
  const bob = await Browser.of(forge, 'bob')
  const path = '/user/projects'
  assert.equal((await new Browser(forge).get(path)).status, 303)
  assert.match((await bob.get('/issues')).text, /href="\/user\/projects"/)
  const made = await bob.submit(`${path}/new`, `${path}/new`, { ...settings, query: 'is:open author:alice' })
  const view = made.headers.get('location') ?? ''
  assert.deepEqual(columnsOf((await bob.get(view)).text)['No status'], ['three &amp; &lt;more>', 'two', 'one'])
  await bob.submit(`${view}?card=${ids[2]}`, `${view}/move`, { column: 'status/todo', place: 'last' })
  assert.deepEqual(columnsOf((await bob.get(view)).text)['todo'], ['three &amp; &lt;more>'])
  assert.equal((await (await Browser.of(forge, 'alice')).get(view)).status, 404)
  const fields = { ...settings, query: 'author:nobody-here' }
  assert.equal((await bob.submit(`${view}/edit`, `${view}/edit`, fields)).status, 303)
  assert.match((await bob.get(view)).text, /Nothing here is called/)
  assert.equal((await bob.submit(`${view}/edit`, `${view}/delete`)).headers.get('location'), path)
})

test('repositoryViewPage: a column shows its first cards and has pages of its own', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, path } = await givenPlan(forge)
  const alice = forge.as('alice')
  for (let count = 0; count < 53; count++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await alice.must('POST', `${repo.api}/issues`, { title: `t${count}` })
  }
  const { json } = await alice.must('POST', `${repo.api}/views`, settings)
  const browser = await Browser.of(forge, 'alice')
  const { text } = await browser.get(`${path}/${json.id}`)
  assert.equal(columnsOf(text)['No status']?.length, 25)
  assert.match(text, /href="[^"]*\?column="[^>]*>Show all 56</)
  const alone = columnsOf((await browser.get(`${path}/${json.id}?column=`)).text)
  assert.deepEqual([Object.keys(alone), alone['No status']?.length], [['No status'], 56])
})
