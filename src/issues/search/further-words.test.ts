import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { furtherWords } from './further-words.parse.ts'

/** Titles of issues, with searches that find only that issue. */
const titles: Readonly<Record<string, readonly string[]>> = {
  'release party🎉tonight': ['🎉', ':tada:', 'party', 'tonight', 'party🎉', '"🎉 tonight"'],
  'coding at night 👩‍💻': ['👩‍💻', '💻'],
  'approved 👍🏽': ['👍', ':thumbsup:', ':+1:', '👍🏽'],
  'visit 🇩🇪': ['🇩🇪', ':de:'],
  'written as :rocket:': ['🚀', ':rocket:'],
  'press ⌘ and go → there': ['⌘', '→'],
  日本語のテキスト: ['日本', '本語', '語', 'テキスト', '"日本語"'],
  iPhone手机壳: ['手机', 'iphone', 'iPhone手机'],
  '검색을 한다': ['검색'],
  ภาษาไทย: ['ไทย'],
  'Ünïcode Grüße': ['unicode', 'Ünïcode', 'Grüße', 'u\u0308ni\u0308code'],
  'cafe\u0301 noir': ['café', 'cafe'],
  'C++ is fast': ['C++', 'c++'],
  'the .net runtime': ['.net', 'net'],
  'see example.com/some_path-here for mail@host.test': [
    'example.com',
    'example',
    'some_path',
    'path-here',
    'host',
    'mail@host.test',
  ],
  'version 1.25.3 of x1e5': ['1.25.3', '1.25', 'x1e5'],
  'q z': ['q', 'z', '"q z"'],
}

test('issueListIssues, issueSearchIssues: emoji, symbols, words of every script and of programs are found', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  for (const title of Object.keys(titles)) {
    // oxlint-disable-next-line no-await-in-loop -- numbers follow the order
    await alice.must('POST', `${repo.api}/issues`, { title })
  }
  const found = async (path: string): Promise<string[]> =>
    (await alice.get(path)).json.map((issue: { title: string }) => issue.title)
  const searches = Object.entries(titles).flatMap(([title, words]) => words.map((word) => ({ title, word })))
  for (const { title, word } of searches) {
    const q = encodeURIComponent(word)
    for (const path of [`${repo.api}/issues?q=${q}`, `/repos/issues/search?q=${q}`]) {
      // oxlint-disable-next-line no-await-in-loop -- few requests
      assert.deepEqual([word, await found(path)], [word, [title]])
    }
  }
  for (const word of ['🎈', ':tada', 'tada', '本日', '机手', '"tonight party"', 'fasted']) {
    // oxlint-disable-next-line no-await-in-loop -- few requests
    assert.deepEqual([word, await found(`${repo.api}/issues?q=${encodeURIComponent(word)}`)], [word, []])
  }
})

test('issueEditIssue, issueEditComment: a changed text is found by its new symbols only', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const issue = await forge.given.issue({ title: 'plain', body: '🎉' })
  const alice = forge.as('alice')
  const list = issue.api.replace(/\/\d+$/, '')
  const count = async (q: string): Promise<number> =>
    (await alice.get(`${list}?q=${encodeURIComponent(q)}`)).json.length
  assert.equal(await count('🎉'), 1)
  await alice.must('PATCH', issue.api, { title: 'now 🚀', body: 'no symbol' })
  assert.deepEqual([await count('🎉'), await count('🚀')], [0, 1])
  const comment = (await alice.must('POST', `${issue.api}/comments`, { body: '日本語' })).json
  assert.equal(await count('日本'), 1)
  await alice.must('PATCH', `${list}/comments/${comment.id}`, { body: '中国' })
  assert.deepEqual([await count('日本'), await count('中国')], [0, 1])
  await alice.must('DELETE', `${list}/comments/${comment.id}`)
  assert.equal(await count('中国'), 0)
})

test('issueListIssues: a page names a search of punctuation, which finds nothing by itself', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const issue = await forge.given.issue({ title: 'plain' })
  const browser = await Browser.of(forge, 'alice')
  const list = issue.api.replace(/^\/repos|\/\d+$/g, '')
  const { text } = await browser.get(`${list}?q=${encodeURIComponent('?!')}`)
  assert.match(text, /not understood: \?!/)
})

test('further words of a text are bounded by its length', () => {
  assert.equal(furtherWords('plain text: nothing more'), '')
  assert.equal(furtherWords('🎉🎉 and 🎉🎉'), 'symbol1f389 symbol1f389')
  assert.ok(furtherWords('日'.repeat(1_000_000)).length <= 400_000)
})
