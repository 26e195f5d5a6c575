import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { Browser } from '../../testing/browser.ts'
import { commitFiles, workflow } from '../../actions/actions.test-support.ts'
import { base64 } from '../../testing/samples.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
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

test('a form whose process ended is refused while it may still run, and taken over later; old ones are forgotten', async () => {
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
  assert.equal((await send()).status, 303)
  assert.equal((await commentsOf(forge, repo)).length, 2)
  forge.clock.advance(25 * 3600_000)
  await forge.app.scheduler.runNow('delete_sent_forms')
  await forge.settle()
  assert.deepEqual(await forge.services.db.selectFrom('sent_form').selectAll().execute(), [])
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

test('a form that adds something without a name of its own adds it once when it is sent twice', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  const api = forge.as('alice')
  await api.must('POST', `${repo.api}/issues`, { title: 'One' })
  await api.must('POST', `${repo.api}/contents/a.txt`, { content: base64('a'), new_branch: 'topic' })
  await commitFiles(forge, repo.api, { '.gitea/workflows/w.yml': workflow('workflow_dispatch') })
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
      page: `${at}/milestones/new`,
      to: `${at}/milestones/new`,
      fields: { title: 'm' },
      list: `${repo.api}/milestones`,
    },
    {
      page: `${at}/labels`,
      to: `${at}/labels/new`,
      fields: { name: 'l', color: '#aabbcc' },
      list: `${repo.api}/labels`,
    },
    {
      page: `/org/${org}/settings/labels`,
      to: `/org/${org}/settings/labels/new`,
      fields: { name: 'l', color: '#aabbcc' },
      list: `/orgs/${org}/labels`,
    },
    {
      page: `${at}/projects/new`,
      to: `${at}/projects/new`,
      fields: { title: 'v', layout: 'list' },
      list: `${repo.api}/views`,
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
  for (const [index, { page, to, fields, list, of }] of forms.entries()) {
    const sent: Readonly<Record<string, string>> = {
      ...fields,
      _csrf: await alice.csrf(page),
      _once: key(`form-${index}`),
    }
    const [first, second] = [await alice.post(to, sent), await alice.post(to, sent)]
    const ends = [first, second].map(({ status, headers }) => [status, headers.get('location')])
    assert.deepEqual(ends[0], ends[1], to)
    assert.equal(first.status, 303, to)
    assert.equal(await count(list, of), 1, to)
  }
})
