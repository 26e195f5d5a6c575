import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { transaction } from '../../db/database.ts'
import { Browser } from '../../testing/browser.ts'
import { workflow } from '../../actions/actions.test-support.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles } from '../../testing/given-pull.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { Conflict } from '../../lib/errors.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { runOnce } from '../../users/sent-forms/sent-form.service.ts'
import { base64, publicKey } from '../../testing/samples.ts'
import { givenChanges } from '../pulls/review.test-support.ts'
import { openAs, skip } from './scripts.test-support.ts'

const key = (name: string) => name.padEnd(32, '0')

async function given(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'One' })
  return { repo, path: `/${repo.fullName}/issues/1` }
}

/** The texts of the comments of issue 1. */
const commentsOf = async (forge: Forge, repo: GivenRepo): Promise<string[]> =>
  ((await forge.as('alice').must('GET', `${repo.api}/issues/1/comments`)).json as { body: string }[]).map(
    ({ body }) => body,
  )

test('a form that is sent twice with its key adds one comment and leads to it both times', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, path } = await given(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const csrf = await alice.csrf(path)
  const send = (content: string, name?: string) =>
    alice.post(`${path}/comments`, { content, _csrf: csrf, ...(name === undefined ? {} : { _once: key(name) }) })
  const first = await send('text', 'a')
  const again = await send('text', 'a')
  assert.deepEqual([first.status, again.status], [303, 303])
  assert.match(first.headers.get('location') ?? '', /#issuecomment-\d+$/)
  assert.equal(again.headers.get('location'), first.headers.get('location'))
  await Promise.all([1, 2, 3].map(() => send('together', 'b')))
  assert.deepEqual(await commentsOf(forge, repo), ['text', 'together'])
  await bob.post(`${path}/comments`, { content: 'text', _csrf: await bob.csrf(path), _once: key('a') })
  await send('text')
  await send('text', 'c')
  assert.deepEqual(await commentsOf(forge, repo), ['text', 'together', 'text', 'text', 'text'], 'other keys and people')
})

test('a form with the key of another text is refused once, with its text; a refused form keeps its key', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repo, path } = await given(forge)
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf(path)
  const send = (content: string) => alice.post(`${path}/comments`, { content, _csrf: csrf, _once: key('a') })
  assert.equal((await send('first')).status, 303)
  const changed = await send('first, and more')
  assert.equal(changed.status, 409)
  assert.match(changed.text, /received already[\s\S]*first, and more/)
  assert.ok(changed.text.includes(key('a')))
  assert.equal((await send('first, and more')).status, 303)
  assert.deepEqual(await commentsOf(forge, repo), ['first', 'first, and more'])
  assert.equal((await alice.post(`${path}/comments`, { content: ' ', _csrf: csrf, _once: key('b') })).status, 422)
  assert.equal((await alice.post(`${path}/comments`, { content: 'x', _csrf: csrf, _once: key('b') })).status, 303)
  assert.equal((await alice.post(`${path}/comments`, { content: 'x', _csrf: csrf, _once: 'short' })).status, 422)
})

test('a form whose process ended is refused while it may still run, and then refused once; old ones are forgotten', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { repo, path } = await given(forge)
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf(path)
  const send = () => alice.post(`${path}/comments`, { content: 'text', _csrf: csrf, _once: key('a') })
  await send()
  await transaction(forge.services.db, (tx) => tx.updateTable('sent_form').set({ location: '' }).execute())
  const refused = await send()
  assert.deepEqual([refused.status, /is being saved/.test(refused.text)], [409, true])
  forge.clock.advance(301_000)
  const unknown = await send()
  assert.deepEqual([unknown.status, /cannot tell whether this form was saved/.test(unknown.text)], [409, true])
  assert.equal((await commentsOf(forge, repo)).length, 1)
  assert.equal((await send()).status, 303)
  assert.equal((await commentsOf(forge, repo)).length, 2)
  forge.clock.advance(25 * 3600_000)
  await forge.app.scheduler.runNow('delete_sent_forms')
  await forge.settle()
  assert.deepEqual(await forge.services.db.selectFrom('sent_form').selectAll().execute(), [])
})

test('a form whose act fails after its change is refused once, unless the act refused it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { services } = forge
  const ctx = { ...services, viewer: { id: (await forge.account('alice')).user.id } as Viewer }
  const form = { key: key('a'), values: { content: 'text' } }
  let count = 0
  const run = (failure?: Error) =>
    runOnce(ctx, async (begin) => {
      await begin(form)
      count += 1
      if (failure) throw failure
      return { to: '/there' }
    })
  await assert.rejects(run(new Conflict('not now', 'not_now')), /not now/)
  await assert.rejects(run(new Error('Connection terminated unexpectedly')), /Connection terminated/)
  await assert.rejects(run(), { code: 'form_outcome_unknown' })
  assert.equal(count, 2)
  assert.equal((await run()).to, '/there')
  assert.equal((await run()).to, '/there')
  assert.equal(count, 3)
})

for (const reaches of [true, false]) {
  test(
    `a comment whose ${reaches ? 'answer is lost' : 'request is lost'} stays on the page, and is sent again once`,
    { skip },
    async () => {
      await using forge = await startForge({ users: ['alice'] })
      const { repo, path } = await given(forge)
      let isLost = true
      await using it = await openAs(forge, 'alice', {
        [`${path}/comments`]: async (route) => {
          if (!isLost) return route.continue()
          if (reaches) await route.fetch({ maxRedirects: 0 })
          await route.abort('connectionreset')
        },
      })
      await it.page.goto(path)
      await it.page.locator('.comment-form textarea').fill('On a bad train')
      await it.page.locator('.comment-form button.primary').click()
      const notice = it.page.locator('[data-unsent]')
      await notice.waitFor()
      assert.match(await notice.innerText(), /did not answer/)
      assert.equal(await it.page.locator('.comment-form textarea').inputValue(), 'On a bad train')
      assert.deepEqual(await commentsOf(forge, repo), reaches ? ['On a bad train'] : [])
      isLost = false
      await notice.getByRole('button').press('Enter')
      await it.page.locator('.markdown', { hasText: 'On a bad train' }).waitFor()
      assert.deepEqual(await commentsOf(forge, repo), ['On a bad train'])
      assert.equal(await it.page.locator('.comment-form textarea').inputValue(), '')
    },
  )
}

/** Sends a form. */
type Send = (
  path: string,
  fields: Record<string, string>,
) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>

let keyCount = 0
/** The key of the form that was sent last. */
const lastKey = () => key(`k${keyCount}-`)

/** Returns a function that sends a form twice, compares the answers, and returns where they led. */
const twiceAs =
  (browser: Browser, csrf: string) =>
  async (path: string, fields: Readonly<Record<string, string>>, send: Send = browser.post.bind(browser)) => {
    keyCount += 1
    const form = { ...fields, _csrf: csrf, _once: lastKey() }
    const first = await send(path, form)
    const again = await send(path, form)
    const answerOf = ({ status, headers }: typeof first) => [status, headers.get('location')]
    assert.equal(first.status, 303, `${path}: ${first.text.slice(0, 2000)}`)
    assert.deepEqual(answerOf(again), answerOf(first), path)
    return first.headers.get('location') ?? ''
  }

test('a form that adds something without a name of its own adds it once when it is sent twice', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  const api = forge.as('alice')
  await api.must('POST', `${repo.api}/issues`, { title: 'One' })
  await api.must('POST', `${repo.api}/contents/a.txt`, { content: base64('a'), new_branch: 'topic' })
  await api.must('POST', `${repo.api}/contents/.gitea/workflows/w.yml`, {
    content: base64(workflow('workflow_dispatch')),
  })
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}`
  const count = async (path: string, of = (json: unknown) => json): Promise<number> =>
    (of((await api.must('GET', path)).json) as unknown[]).length
  interface AddingForm {
    readonly page: string
    readonly to: string
    readonly fields: Readonly<Record<string, string>>
    readonly list: string
    readonly of?: (json: unknown) => unknown
  }
  const forms: readonly AddingForm[] = [
    { page: `${at}/issues/1`, to: `${at}/issues/1/time`, fields: { time: '1h' }, list: `${repo.api}/issues/1/times` },
    {
      page: `/org/${org}/settings/labels`,
      to: `/org/${org}/settings/labels/new`,
      fields: { name: 'l', color: '#aabbcc' },
      list: `/orgs/${org}/labels`,
    },
    {
      page: `${at}/compare/main...topic`,
      to: `${at}/compare/main...topic`,
      fields: { title: 't', content: 'c' },
      list: `${repo.api}/pulls`,
    },
    {
      page: `${at}/actions?workflow=w.yml`,
      to: `${at}/actions/workflows/w.yml/dispatch`,
      fields: { workflow: 'w.yml', ref: 'main' },
      list: `${repo.api}/actions/runs`,
      of: (json: unknown) => (json as { workflow_runs: unknown }).workflow_runs,
    },
  ]
  for (const { page, to, fields, list, of } of forms) {
    await twiceAs(alice, await alice.csrf(page))(to, fields)
    assert.equal(await count(list, of), 1, to)
  }
})

test('forms of each kind, sent again with their key, lead to where they led: what was made once, and what is gone', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'anvil' })
  const at = `/${repo.fullName}`
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf(at)
  const twice = twiceAs(alice, csrf)
  const withFile = (field: string) => (path: string, fields: Record<string, string>) =>
    alice.upload(path, fields, { field, content: Buffer.from('iron'), name: 'iron.txt' })
  const names = async (path: string, field = 'name') =>
    (await forge.as('alice').must('GET', path)).json.map((each: Record<string, string>) => each[field])

  await twice(`${at}/labels/new`, { name: 'bug', color: '#112233' })
  await twice(`${at}/milestones/new`, { title: 'First' })
  await twice(`${at}/releases/new`, { tag_name: 'v1', title: 'One' }, withFile('files'))
  const { json: release } = await forge.as('alice').must('GET', `${repo.api}/releases/tags/v1`)
  await twice(`${at}/releases/${release.id}/assets`, {}, withFile('attachment'))
  await twice(`${at}/_upload/main`, { folder: '' }, withFile('files'))
  await twice(`${at}/wiki/_new`, { title: 'Home', content: 'Text' })
  await twice(`${at}/projects/new`, { title: 'Plan', layout: 'board', grouping: 'state' })
  await twice('/repo/create', { name: 'bellows', owner: 'alice' })
  await twice(`${at}/settings/keys`, { title: 'Robot', content: publicKey })
  assert.deepEqual(await names(`${repo.api}/labels`), ['bug'])
  assert.deepEqual(await names(`${repo.api}/milestones`, 'title'), ['First'])
  assert.deepEqual(await names(`${repo.api}/releases`), ['One'])
  assert.deepEqual(await names(`${repo.api}/releases/${release.id}/assets`), ['iron.txt', 'iron.txt'])
  assert.equal((await names(`${repo.api}/commits`, 'sha')).length, 2)
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/wiki/revisions/Home`)).json.count, 1)
  assert.deepEqual(await names(`${repo.api}/views`, 'title'), ['Plan'])
  assert.deepEqual(await names(`${repo.api}/keys`, 'title'), ['Robot'])

  // What the second form is about is not there any more, or cannot be done again.
  await commitFiles(forge, repo, 'topic', { 'topic.txt': 'topic\n' })
  const { json: pull } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Topic' })
  await forge.settle()
  await twice(`${at}/pulls/${pull.number}/merge`, { style: 'merge', head_commit_id: pull.head.sha })
  await twice(`${at}/pulls/${pull.number}/branch/delete`, {})
  const { json: label } = await forge.as('alice').must('GET', `${repo.api}/labels`)
  await twice(`${at}/labels/${label[0].id}/delete`, {})
  await twice(`${at}/releases/${release.id}/delete`, {})
  assert.equal(await twice('/alice/bellows/settings/delete', { confirm_delete: 'bellows' }), '/alice')
  assert.equal((await alice.get('/alice/bellows')).status, 404)
  const bob = await Browser.of(forge, 'bob')
  const foreign = { _csrf: await bob.csrf('/'), _once: lastKey(), confirm_delete: 'bellows' }
  assert.equal((await bob.post('/alice/bellows/settings/delete', foreign)).status, 404, 'the key of somebody else')
})

test('createTokenSubmit: a form whose answer with a secret is lost makes one token, and says that its secret is lost', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const path = '/user/settings/applications'
  const form = { name: 'laptop', scope_repository: 'read', _csrf: await alice.csrf(path), _once: key('a') }
  assert.equal((await alice.post(path, form)).status, 303)
  assert.equal((await alice.post(path, form)).status, 303)
  const shown = await alice.get(path)
  assert.match(shown.text, /its answer is lost/)
  const rows = await forge.services.db
    .selectFrom('access_token')
    .select('name')
    .where('name', 'not like', 'test-%')
    .execute()
  assert.deepEqual(rows, [{ name: 'laptop' }])
  const [kept] = await forge.services.db.selectFrom('sent_form').selectAll().execute()
  assert.doesNotMatch(JSON.stringify(kept), /[\da-f]{40}/, 'no secret is kept')
})

for (const [how, fails] of [
  ['the server is busy', (route: Route) => route.fulfill({ status: 503, body: 'busy' })],
  ['there is no network', (route: Route) => route.abort('internetdisconnected')],
] as const) {
  test(`a page stays when ${how}: a button, a part of the page, and a refresh of it`, { skip }, async () => {
    await using forge = await startForge({ users: ['alice', 'bob'] })
    const { at, files } = await givenChanges(forge)
    let isLost = false
    const maybe = (route: Route) => (isLost ? fails(route) : route.continue())
    await using it = await openAs(forge, 'bob', {
      [`${at}/comments`]: maybe,
      [files]: maybe,
      [at]: maybe,
      [`${at}/subscription`]: maybe,
    })
    const { page } = it
    const notice = page.locator('[data-unanswered]')
    await page.goto(at)
    await page.locator('#new_comment').fill('Being typed')
    isLost = true
    // What the event stream of the page does.
    await page.evaluate(`Turbo.visit(location.href, { action: 'replace' })`)
    await notice.waitFor()
    assert.equal(await page.locator('#new_comment').inputValue(), 'Being typed')
    assert.equal(
      await page.evaluate(`document.activeElement.closest('[data-unanswered]')`),
      null,
      'nobody asked for it',
    )
    isLost = false
    await notice.getByRole('button', { name: 'Try again' }).click()
    await notice.waitFor({ state: 'detached' })
    assert.equal(await page.locator('#new_comment').inputValue(), 'Being typed')
    assert.equal(new URL(page.url()).pathname, at)

    await page.goto(files)
    await page.locator('#diff-0-R3').hover()
    isLost = true
    await page.locator('#diff-0-R3 a.plus').click()
    await notice.waitFor()
    await page.getByText('line 3 changed').first().waitFor()
    isLost = false
    await notice.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.locator('#diff-0 .line-form textarea').waitFor()
    assert.equal(await notice.count(), 0)
  })
}

test('a form on its way is not cancelled by a refresh of its page, and not sent a second time', { skip }, async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, path } = await given(forge)
  let arrived = 0
  let answer: (() => void) | undefined
  const waits = new Promise<void>((resolve) => (answer = resolve))
  await using it = await openAs(forge, 'alice', {
    [`${path}/comments`]: async (route) => {
      arrived += 1
      await waits
      await route.continue()
    },
  })
  const { page } = it
  await page.goto(path)
  await page.locator('.comment-form textarea').fill('Slowly')
  await page.locator('.comment-form button.primary').click()
  await page.locator('.comment-form button[aria-busy=true]').waitFor()
  await page.locator('.comment-form textarea').press('Control+Enter')
  await page.locator('.comment-form button[name=state]').click()
  // The page follows the issue, and somebody else changes it.
  const other = await forge.as('bob').must('POST', `${repo.api}/issues/1/comments`, { body: 'Meanwhile' })
  await forge.settle()
  await page.waitForTimeout(300)
  assert.equal(await page.locator(`#issuecomment-${other.json.id}`).count(), 0, 'the refresh waits')
  answer?.()
  await page.locator('.markdown', { hasText: 'Slowly' }).waitFor()
  await page.locator('.markdown', { hasText: 'Meanwhile' }).waitFor()
  assert.deepEqual(await commentsOf(forge, repo), ['Meanwhile', 'Slowly'])
  assert.equal(arrived, 1)
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/issues/1`)).json.state, 'open')
})
