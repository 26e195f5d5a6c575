import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

/** Returns the links of a page, each with address and text, after checking that none stands in another. */
function linksOf(html: string): { readonly href: string; readonly text: string }[] {
  let depth = 0
  for (const [tag] of html.matchAll(/<\/?a\b/g)) {
    depth += tag === '<a' ? 1 : -1
    assert.ok(depth === 0 || depth === 1, 'links do not nest')
  }
  return [...html.matchAll(/<a\b[^>]*\shref="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, href = '', text = '']) => ({
    href,
    text: text.replace(/<[^>]*>/g, ''),
  }))
}

test('pages with commits link what the messages name, beside the link to the commit', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'r' })
  const alice = forge.as('alice')
  await forge.given.issue({ repo })
  const message = 'closes #1 for @bob and @nobody, not `#2`: https://ex.org/a.\n\nafter other/place#3'
  const commit = async (path: string, branch: string, more: object = {}) =>
    (await alice.must('POST', `${repo.api}/contents/${path}`, { content: base64('one\n'), message, branch, ...more }))
      .json.commit.sha as string
  const head = await commit('dir/a.txt', 'main')
  await commit('b.txt', 'main', { new_branch: 'topic' })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1', message, target: head })
  const pull = (await alice.must('POST', `${repo.api}/pulls`, { title: 'One', head: 'topic', base: 'main' })).json
  const browser = await Browser.of(forge, 'alice')
  const { texts } = forge.services
  const lookups: (readonly string[])[] = []
  const original = texts.messages.bind(texts)
  Object.assign(texts, {
    messages: (...input: Parameters<typeof original>) => {
      lookups.push(input[1])
      return original(...input)
    },
  })
  const at = '/alice/r'
  for (const page of [
    at,
    `${at}/src/branch/main`,
    `${at}/src/branch/main/dir`,
    `${at}/src/branch/main/dir/a.txt`,
    `${at}/commits/branch/main`,
    `${at}/blame/branch/main/dir/a.txt`,
    `${at}/branches`,
    `${at}/tags`,
    `${at}/compare/main...topic`,
    `${at}/pulls/${pull.number}/commits`,
  ]) {
    lookups.length = 0
    // oxlint-disable-next-line no-await-in-loop -- each page in turn
    const { status, text } = await browser.get(page)
    assert.equal(status, 200, page)
    const links = linksOf(text)
    const has = (href: string, label: string) =>
      assert.ok(
        links.some((link) => link.href === href && link.text === label),
        `${page}: ${label} to ${href}`,
      )
    has(`${forge.url}/alice/r/issues/1`, '#1')
    has(`${forge.url}/bob`, '@bob')
    has('https://ex.org/a', 'https://ex.org/a')
    assert.doesNotMatch(text, /href="[^"]*\/(?:nobody|issues\/2)"/, page)
    if (!page.endsWith('/tags')) {
      assert.ok(
        links.some(({ href, text: label }) => /\/commit\/[0-9a-f]{40}$/.test(href) && label.startsWith('closes')),
        `${page}: the text leads to the commit`,
      )
    }
    if (/commits\/branch|compare/.test(page)) has(`${forge.url}/other/place/issues/3`, 'other/place#3')
    assert.equal(lookups.length, 1, `${page}: all messages are one job`)
  }

  const plain = await forge.given.repo({ owner: 'alice', name: 'plain' })
  lookups.length = 0
  assert.equal((await browser.get('/alice/plain/commits/branch/main')).status, 200)
  assert.equal((await browser.get(plain.api.replace('/repos', ''))).status, 200)
  assert.deepEqual(lookups, [], 'messages without names are not looked at')
})
