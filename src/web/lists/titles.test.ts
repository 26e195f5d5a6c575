import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'

test('titles show code between backticks and the icon of a draft; a refused form that its page lacks says why', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { 'service.explore': { DISABLE_CODE_PAGE: true } },
  })
  const pull = await givenPull(forge, { title: 'WIP: `<b>git</b>` is ` quoted' })
  const guest = new Browser(forge)
  const list = `/${pull.repo.fullName}/pulls`
  const at = `${list}/${pull.number}`
  const shown = 'WIP: <code class="in-title">&lt;b>git&lt;/b></code> is ` quoted'
  const [listed, page] = [(await guest.get(list)).text, (await guest.get(at)).text]
  assert.ok(listed.includes(shown))
  assert.match(listed, /#[\w-]*git-pull-request-draft/)
  assert.ok(page.includes(shown))
  assert.match(page, /<title>[^<]*WIP: `&lt;b>git&lt;\/b>` is ` quoted/)
  assert.ok(!page.includes(`href="/${pull.repo.fullName}/search"`), 'the site does not offer the search of code')

  const bob = await Browser.of(forge, 'bob')
  const { text } = await bob.get(at)
  const csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await forge.as('alice').must('PATCH', pull.api, { title: 'Ready' })
  const alice = await Browser.of(forge, 'alice')
  await alice.submit(at, '/lock', { reason: '' })
  const refused = await bob.post(`${at}/comments`, { _csrf: csrf, content: 'Late' })
  assert.equal(refused.status, 403)
  assert.ok(!refused.text.includes('name="content"'), 'the page has no form for comments')
  assert.match(refused.text, /<div class="flash problem" role="alert">[^]*locked/)
})
