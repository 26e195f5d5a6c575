import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles } from '../../testing/given-pull.ts'

const lines = Array.from({ length: 60 }, (_, index) => `const line${index + 1} = <b>`)

/** A repository with a file of 60 lines, and the permalink of some of them. */
async function world() {
  const forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'source' })
  await commitFiles(forge, repo, 'main', { 'src/a b.ts': `${lines.join('\n')}\n`, 'data.bin': 'a\0b' })
  const commit = (await forge.as('alice').get(`${repo.api}/branches/main`)).json.commit.id as string
  const linkOf = (range: string, path = 'src/a%20b.ts') =>
    `${forge.url}/${repo.fullName}/src/commit/${commit}/${path}#${range}`
  return { forge, repo, commit, linkOf }
}

/** The page of a new issue with a text, as people see it. */
async function issueWith(forge: Forge, repo: { readonly api: string; readonly fullName: string }, body: string) {
  const { json } = await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'a', body })
  return async (who: string | undefined) => {
    const browser = who === undefined ? new Browser(forge) : await Browser.of(forge, who)
    return (await browser.get(`/${repo.fullName}/issues/${json.number}`)).text
  }
}

/** The numbers and texts of the lines of snippets. */
const shownIn = (html: string): string[] =>
  [...html.matchAll(/<td class="num">(\d+)<\/td><td class="text">([^]*?)<\/td>/g)].map(
    ([, number, text = '']) => `${number} ${text.replace(/<[^>]+>/g, '')}`,
  )

test('a bare permalink of lines is shown with the lines, in texts, comments and previews', async () => {
  const { forge, repo, linkOf } = await world()
  await using _ = forge
  const see = await issueWith(forge, repo, `See\n${linkOf('L2-L3')}\nabove\n\n${linkOf('L60')}`)
  const html = await see('bob')
  assert.deepEqual(shownIn(html), [
    '2 const line2 = &lt;b&gt;',
    '3 const line3 = &lt;b&gt;',
    '60 const line60 = &lt;b&gt;',
  ])
  assert.match(html, /<p dir="auto">See<\/p>\s*<figure class="snippet">/)
  assert.match(html, /<\/figure>\s*<p dir="auto">above<\/p>/)
  assert.match(html, /<figcaption><span><a href="[^"]*#L2-L3"/)
  const alice = await Browser.of(forge, 'alice')
  const fields = { _csrf: await alice.csrf('/user/settings'), text: linkOf('L5-L4') }
  const preview = await alice.post(`/${repo.fullName}/markup`, fields)
  assert.equal(shownIn(preview.text).length, 2)
  const long = await issueWith(forge, repo, linkOf('L1-L60'))
  assert.equal(shownIn(await long('bob')).length, 40)
  assert.match(await long('bob'), /Lines 1 to 40 are shown/)
})

test('a permalink that is not bare, or names no lines of a text, stays a link', async () => {
  const { forge, repo, commit, linkOf } = await world()
  await using _ = forge
  const texts = [
    `a ${linkOf('L2')}`,
    `[text](${linkOf('L2')})`,
    `**a\n${linkOf('L2')}\nb**`,
    linkOf('L900'),
    linkOf('L1', 'data.bin'),
    linkOf('L1', 'missing.ts'),
    linkOf('L1', '%ff.ts'),
    `${forge.url}/${repo.fullName}/src/commit/${commit.replace(/./g, '0')}/src/a%20b.ts#L1`,
    `${forge.url}/${repo.fullName}/src/commit/${commit.slice(0, 10)}/src/a%20b.ts#L1`,
    `https://example.org/${repo.fullName}/src/commit/${commit}/src/a%20b.ts#L1`,
  ]
  const see = await issueWith(forge, repo, texts.join('\n\n'))
  const html = await see('bob')
  assert.deepEqual(shownIn(html), [])
  assert.equal(html.split('/src/commit/').length - 1 >= texts.length, true)
  const many = await issueWith(
    forge,
    repo,
    Array.from({ length: 14 }, (_, index) => linkOf(`L${index + 1}`)).join('\n\n'),
  )
  assert.equal(shownIn(await many('bob')).length, 10)
})

test('lines of a repository are shown to those who may read its code, at each request', async () => {
  const { forge, repo, linkOf } = await world()
  await using _ = forge
  const other = await forge.given.repo({ owner: 'alice', name: 'talk' })
  const see = await issueWith(forge, other, linkOf('L2'))
  for (const who of ['alice', 'bob', undefined]) assert.equal(shownIn(await see(who)).length, 1, who)
  const alice = forge.as('alice')
  await alice.must('PATCH', repo.api, { private: true })
  assert.equal(shownIn(await see('alice')).length, 1)
  for (const who of ['bob', undefined]) {
    const html = await see(who)
    assert.equal(shownIn(html).length, 0, who)
    assert.match(html, /#L2"/)
  }
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  assert.equal(shownIn(await see('bob')).length, 1)
  await alice.must('DELETE', `${repo.api}/collaborators/bob`)
  assert.equal(shownIn(await see('bob')).length, 0)
})
