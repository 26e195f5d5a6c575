import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

async function world() {
  const forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const label = await alice.post(`${repo.api}/labels`, { name: 'good first', color: '#aa0000' })
  const milestone = await alice.post(`${repo.api}/milestones`, { title: 'v1' })
  await alice.post(`${repo.api}/issues`, { title: 'Anvil cracks', labels: [label.json.id] })
  await alice.post(`${repo.api}/issues`, { title: '<b>Tongs</b> melt', milestone: milestone.json.id })
  await alice.post(`${repo.api}/issues`, { title: 'Bellows leak', closed: true })
  return { forge, repo, label: label.json.id as number, milestone: milestone.json.id as number }
}

const titles = (html: string): string[] =>
  [...html.matchAll(/class="row-title"[^>]*>([^<]*(?:&lt;[^<]*)*)</g)].map(([, title = '']) => title.trim())

test('repositoryIssues: the query chooses the issues, and the head counts both states', async () => {
  const { forge, repo } = await world()
  await using _ = forge
  const guest = new Browser(forge)
  const list = async (q: string) => {
    const { status, text } = await guest.get(`/${repo.fullName}/issues?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200)
    return { titles: titles(text), text }
  }
  const plain = await guest.get(`/${repo.fullName}/issues`)
  assert.equal(titles(plain.text).length, 2)
  assert.match(plain.text, /2 open/)
  assert.match(plain.text, /1 closed/)
  assert.doesNotMatch(plain.text, /<b>Tongs/)
  assert.deepEqual((await list('label:"good first"')).titles, ['Anvil cracks'])
  assert.deepEqual((await list('is:closed')).titles, ['Bellows leak'])
  assert.deepEqual((await list('is:open no:label no:assignee')).titles.length, 1)
  assert.deepEqual((await list('no:milestone sort:created-asc')).titles, ['Anvil cracks', 'Bellows leak'])
  assert.deepEqual((await list('author:alice cracks')).titles, ['Anvil cracks'])
  const missing = await list('label:absent')
  assert.deepEqual(missing.titles, [])
  assert.match(missing.text, /Nothing here is called label:absent/)
})

test('repositoryIssues: labels with quotation marks, excluded labels, days and numbers of comments filter, and another kind leads to its list', async () => {
  const { forge, repo, label } = await world()
  await using _ = forge
  const alice = forge.as('alice')
  const name = 'say "hi" \\ you'
  const odd = await alice.must('POST', `${repo.api}/labels`, { name, color: '#00aa00' })
  const { json: issue } = await alice.must('POST', `${repo.api}/issues`, {
    title: 'Hammer',
    labels: [odd.json.id, label],
  })
  await alice.must('POST', `${repo.api}/issues/${issue.number}/comments`, { body: 'one' })
  const guest = new Browser(forge)
  const list = async (q: string) => (await guest.get(`/${repo.fullName}/issues?q=${encodeURIComponent(q)}`)).text
  const { text } = await guest.get(`/${repo.fullName}/issues`)
  // The menu of labels writes a query that finds what it names.
  const links = [...text.matchAll(/href="([^"]*\?q=[^"]*hi[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  assert.ok(links.length > 0)
  for (const link of links) assert.deepEqual(titles((await guest.get(link)).text), ['Hammer'], link)
  const found = {
    'label:"good first"': ['Hammer', 'Anvil cracks'],
    'label:"good first" -label:"say \\"hi\\" \\\\ you"': ['Anvil cracks'],
    '-label:"good first" is:open': ['&lt;b>Tongs&lt;/b> melt'],
    'comments:>0': ['Hammer'],
    'comments:0 label:"good first"': ['Anvil cracks'],
    'created:<2001-01-01': [],
    'created:>=2001-01-01 comments:1..5 updated:2001-01-01..2099-12-31': ['Hammer'],
  }
  for (const [query, expected] of Object.entries(found)) assert.deepEqual(titles(await list(query)), expected, query)
  assert.match(await list('colour:red'), /colour:red/)
  const pulls = await forge.guest.get(`/${repo.fullName}/issues?q=is%3Apr+label%3Ax`, { site: true })
  assert.equal(pulls.status, 303)
  assert.equal(pulls.headers.get('location'), `/${repo.fullName}/pulls?q=is%3Apr+label%3Ax`)
})

test('repositoryIssues: pinned issues stand above the usual list, closed ones too, and above no other', async () => {
  const { forge, repo } = await world()
  await using _ = forge
  const guest = new Browser(forge)
  const pinned = async (query = '') =>
    [
      ...(await guest.get(`/${repo.fullName}/issues${query}`)).text.matchAll(/<ul class="pinned"[\s\S]*?<\/ul>/g),
    ].flatMap(([html]) => titles(html))
  assert.deepEqual(await pinned(), [])
  await forge.as('alice').must('POST', `${repo.api}/issues/3/pin`)
  await forge.as('alice').must('POST', `${repo.api}/issues/1/pin`)
  assert.deepEqual(await pinned(), ['Bellows leak', 'Anvil cracks'])
  assert.deepEqual(await pinned('?q=is%3Aclosed'), [])
})

test('repositoryIssues, repositoryPulls: a private repository does not exist for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const bob = await Browser.of(forge, 'bob')
  for (const kind of ['issues', 'pulls']) assert.equal((await bob.get(`/${repo.fullName}/${kind}`)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(`/${repo.fullName}/pulls`)).text, /No pull requests yet/)
})

test('changeIssues: writers change the selected issues, and readers cannot', async () => {
  const { forge, repo, label, milestone } = await world()
  await using _ = forge
  const path = `/${repo.fullName}/issues`
  const bob = await Browser.of(forge, 'bob')
  const refused = await bob.post(`${path}/bulk`, { issue: '1', act: 'close', _csrf: await bob.csrf('/user/settings') })
  assert.equal(refused.status, 403)
  const alice = await Browser.of(forge, 'alice')
  const change = async (act: string) => {
    // The notice of the previous act has a form with this address too.
    await alice.get(path)
    return alice.submit(path, `${path}/bulk`, { issue: ['1', '2'], act })
  }
  for (const act of [`label:${label}`, `milestone:${milestone}`, 'assign:alice', 'close']) {
    const { status, headers } = await change(act)
    assert.deepEqual([status, headers.get('location')], [303, path], act)
  }
  const { json } = await forge.as('alice').get(`${repo.api}/issues/2`)
  assert.equal(json.state, 'closed')
  assert.deepEqual([json.labels[0].id, json.milestone.id, json.assignees[0].login], [label, milestone, 'alice'])
  assert.equal((await change('paint:red')).status, 400)
})

test('changePulls: issues are not changed by the list of pull requests', async () => {
  const { forge, repo } = await world()
  await using _ = forge
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf('/user/settings')
  const { status } = await alice.post(`/${repo.fullName}/pulls/bulk`, { issue: '1', act: 'close', _csrf: csrf })
  assert.equal(status, 303)
  assert.equal((await forge.as('alice').get(`${repo.api}/issues/1`)).json.state, 'open')
})

/** The form of the notice that takes the last act back. */
const undoOf = (text: string): Record<string, string> => {
  const form = /<div class="flash done"[^]*?<form[^>]*>([^]*?)<\/form>/.exec(text)?.[1] ?? ''
  return Object.fromEntries(
    [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
}

test('changeIssues: an undo gives back states and labels where they still stand, and only what the act changed', async () => {
  const { forge, repo, label } = await world()
  await using _ = forge
  const path = `/${repo.fullName}/issues`
  const api = forge.as('alice')
  const alice = await Browser.of(forge, 'alice')
  const numbers: string[] = []
  for (const title of ['a', 'b', 'c']) {
    numbers.push(String((await api.must('POST', `${repo.api}/issues`, { title })).json.number))
  }
  const [first = '', second = '', third = ''] = numbers
  await api.must('PATCH', `${repo.api}/issues/${first}`, { state: 'closed' })
  await alice.submit(path, `${path}/bulk`, { issue: numbers, act: 'close' })
  const { text } = await alice.get(path)
  assert.match(text, /2 issues changed\./)
  const undo = undoOf(text)
  assert.equal(undo['undo'], `reopen=${second}-${third}`)
  assert.equal(Object.keys(undoOf((await alice.get(path)).text)).length, 0, 'the notice is shown once')
  await api.must('PATCH', `${repo.api}/issues/${third}`, { state: 'open' })
  const undone = await alice.post(`${path}/bulk`, undo)
  assert.deepEqual([undone.status, undone.headers.get('location')], [303, path])
  const stateOf = async (index: string) => (await api.get(`${repo.api}/issues/${index}`)).json.state
  assert.deepEqual([await stateOf(first), await stateOf(second), await stateOf(third)], ['closed', 'open', 'open'])
  // Labels: one has it already.
  await api.must('POST', `${repo.api}/issues/${first}/labels`, { labels: [label] })
  await alice.submit(`${path}?q=is:all`, `${path}/bulk`, { issue: numbers, act: `label:${label}` })
  await alice.post(`${path}/bulk`, undoOf((await alice.get(path)).text))
  const labelsOf = async (index: string) =>
    (await api.get(`${repo.api}/issues/${index}/labels`)).json.map(({ id }: { id: number }) => id)
  assert.deepEqual([await labelsOf(first), await labelsOf(second), await labelsOf(third)], [[label], [], []])
})

test('changeIssues: the undo of an exclusive label restores the one that it replaced, unless somebody chose another', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const api = forge.as('alice')
  const [todo, doing, done] = await Promise.all(
    ['status/todo', 'status/doing', 'status/done'].map(
      async (name) =>
        (await api.must('POST', `${repo.api}/labels`, { name, color: '#112233', exclusive: true })).json.id,
    ),
  )
  for (const labels of [[todo], [todo], []]) await api.must('POST', `${repo.api}/issues`, { title: 'a', labels })
  const path = `/${repo.fullName}/issues`
  const alice = await Browser.of(forge, 'alice')
  await alice.submit(path, `${path}/bulk`, { issue: ['1', '2', '3'], act: `label:${doing}` })
  const undo = undoOf((await alice.get(path)).text)
  assert.equal(undo['undo'], `unlabel:${doing}=1-3;label:${todo}=1-2`)
  await api.must('POST', `${repo.api}/issues/2/labels`, { labels: [done] })
  await alice.post(`${path}/bulk`, undo)
  const labelsOf = async (index: number) =>
    (await api.get(`${repo.api}/issues/${index}/labels`)).json.map(({ id }: { id: number }) => id)
  assert.deepEqual([await labelsOf(1), await labelsOf(2), await labelsOf(3)], [[todo], [done], []])
})

test('changeIssues: all of a query are changed, also beyond the page, and one that refuses does not end the others', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { ui: { ISSUE_PAGING_NUM: 2 } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  const api = forge.as('alice')
  for (const title of ['red one', 'red two', 'red three', 'red four', 'blue']) {
    await api.must('POST', `${repo.api}/issues`, { title })
  }
  // An issue with an open dependency cannot be closed.
  await api.must('POST', `${repo.api}/issues/2/dependencies`, { owner: 'alice', repo: repo.name, index: 5 })
  const path = `/${repo.fullName}/issues`
  const alice = await Browser.of(forge, 'alice')
  const list = `${path}?q=is%3Aopen+red`
  assert.match((await alice.get(list)).text, /All 4 of this search/)
  const csrf = await alice.csrf('/user/settings')
  const all = { _csrf: csrf, all: 'true', q: 'is:open red', act: 'close', issue: '1' }
  const answer = await alice.post(`${path}/bulk`, { ...all, back: `${list}&page=2` })
  assert.equal(answer.headers.get('location'), `${list}&page=2`)
  const moved = await alice.get(`${list}&page=2`)
  assert.deepEqual([moved.status, moved.headers.get('location')], [303, `${list}&page=1`])
  assert.match((await alice.get(`${list}&page=1`)).text, /3 issues changed, 1 not\. #2: /)
  const { json } = await api.get(`${repo.api}/issues?state=open`)
  assert.deepEqual(json.map(({ number }: { number: number }) => number).toSorted(), [2, 5])
  const bob = await Browser.of(forge, 'bob')
  const refused = await bob.post(`${path}/bulk`, { ...all, _csrf: await bob.csrf('/user/settings') })
  assert.equal(refused.status, 403)
})

test('a cookie that the server did not sign for the viewer makes no undo', async () => {
  const { forge, repo } = await world()
  await using _ = forge
  const path = `/${repo.fullName}/issues`
  const alice = await Browser.of(forge, 'alice')
  await alice.submit(path, `${path}/bulk`, { issue: ['1'], act: 'close' })
  const cookies = alice.cookieHeader()
  const name = /(\w+_undo)=/.exec(cookies)?.[1] ?? ''
  const value = new RegExp(`${name}=([^;]+)`).exec(cookies)?.[1] ?? ''
  const undoWith = async (cookie: string) => {
    const reply = await fetch(forge.url + path, { headers: { cookie } })
    return /name="undo"/.test(await reply.text())
  }
  assert.equal(await undoWith(cookies), true)
  const changed = value[20] === 'x' ? 'y' : 'x'
  assert.equal(await undoWith(cookies.replace(value, value.slice(0, 20) + changed + value.slice(21))), false)
  const bob = await Browser.of(forge, 'bob')
  assert.equal(await undoWith(`${bob.cookieHeader()}; ${name}=${value}`), false)
})
