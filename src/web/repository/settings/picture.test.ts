import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'
import { onePixel } from '../../../testing/samples.ts'

test('repositoryAvatarSubmit, deleteRepositoryAvatarSubmit, editTopicsSubmit: administrators set picture and topics', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const home = `/${repo.fullName}`
  const at = `${home}/settings`
  const as = (name: string) => Browser.of(forge, name)
  const [alice, bob, carol] = [await as('alice'), await as('bob'), await as('carol')]
  const send = async (browser: Browser, content: Buffer | string) =>
    browser.upload(
      `${at}/avatar`,
      { _csrf: await browser.csrf('/repo/create') },
      { field: 'avatar', content: Buffer.from(content) },
    )
  const picture = Buffer.from(onePixel, 'base64')
  const address = async () => (await forge.as('alice').must('GET', repo.api)).json.avatar_url as string
  for (const [browser, status] of [
    [carol, 404],
    [bob, 403],
  ] as const) {
    const csrf = { _csrf: await browser.csrf('/repo/create'), topics: 'one' }
    const answers = [
      await send(browser, picture),
      await browser.post(`${at}/avatar/delete`, csrf),
      await browser.post(`${home}/topics`, csrf),
    ]
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [status, status, status],
    )
  }
  const wrong = await send(alice, 'no picture')
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="avatar_problem"/)
  assert.equal(await address(), '')
  assert.equal((await send(alice, picture)).status, 303)
  const shown = new URL(await address())
  assert.ok((await alice.get(home)).text.includes(`src="${shown.pathname}"`), 'beside the name')
  assert.match((await alice.get(home)).text, new RegExp(`property="og:image" content="${shown.href}"`))
  assert.ok((await alice.get('/alice?tab=repositories')).text.includes(shown.pathname), 'in lists')
  assert.equal((await alice.submit(at, 'avatar/delete')).status, 303)
  assert.equal(await address(), '')

  assert.doesNotMatch((await bob.get(home)).text, /Add topics/)
  const refused = await alice.submit(home, `${home}/topics`, { topics: 'one, not a topic!' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /<details[^>]* open[^>]*>[\s\S]*id="topics_problem"/)
  assert.equal((await alice.submit(home, `${home}/topics`, { topics: 'parser, cli' })).status, 303)
  assert.deepEqual((await forge.as('alice').get(`${repo.api}/topics`)).json.topics.toSorted(), ['cli', 'parser'])
})

test('editMirrorAct, syncMirrorSubmit: administrators change and fetch what a mirror follows', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const repo = await forge.given.repo()
  await forge.as('alice').must('POST', '/repos/migrate', {
    clone_addr: `${forge.url}/${repo.fullName}.git`,
    repo_name: 'copy',
    mirror: true,
    mirror_interval: '10h',
  })
  const alice = await Browser.of(forge, 'alice')
  const at = '/alice/copy/settings'
  const { text } = await alice.get(at)
  assert.match(text, /value="10h"/)
  assert.match(text, /name="enable_prune"[^>]*checked|checked[^>]*name="enable_prune"/)
  const wrong = await alice.submit(at, `${at}/mirror"`, { mirror_interval: 'often' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="mirror_interval_problem"/)
  assert.equal((await alice.submit(at, `${at}/mirror"`, { mirror_interval: '12h' })).status, 303)
  const changed = (await alice.get(at)).text
  assert.match(changed, /value="12h"/)
  assert.doesNotMatch(changed, /name="enable_prune"[^>]*checked|checked[^>]*name="enable_prune"/)
  const fetched = await alice.submit(at, `${at}/mirror/sync`)
  assert.deepEqual([fetched.status, fetched.headers.get('location')], [303, at])
})
