import assert from 'node:assert/strict'
import test from 'node:test'
import { parseReferences } from '../issues/references/reference.parse.ts'
import { linkBases } from './links.ts'
import { renderMarkdown } from './markdown.ts'
import { defaultKeywords, findReferences, maxReferences } from './references.ts'
import { textRuns } from './text-runs.ts'

const rootUrl = 'https://forge.example/'

/** Returns the HTML of a comment, with every mention and commit known. */
async function render(text: string): Promise<string> {
  const bases = linkBases({ rootUrl, context: '/ann/one', mode: 'comment' })
  const options = { mode: 'comment', bases, rootUrl, repository: 'ann/one' } as const
  const { candidates } = await renderMarkdown(text, options)
  const resolved = { mentions: new Set(candidates.mentions), commits: new Set(candidates.commits) }
  return (await renderMarkdown(text, { ...options, resolved })).html
}

const namedIn = (text: string) =>
  parseReferences(
    { markdown: [textRuns(text)] },
    { rootUrl, closeKeywords: defaultKeywords.close, reopenKeywords: defaultKeywords.reopen },
  )

const references = ['#1', '!1', '@bob', 'closes #1', 'ann/two#3', 'Reopens: ann/two#3']

/** What makes a reference literal. */
const literal: Readonly<Record<string, (text: string) => string>> = {
  'an escape': (text) => text.replace(/[#!@]/, '\\$&'),
  'an entity': (text) => text.replace('#', '&#35;').replace('!', '&#33;').replace('@', '&commat;'),
  'a code span': (text) => `\`${text}\``,
  'a fence': (text) => `\`\`\`\n${text}\n\`\`\``,
  'indented code': (text) => `x\n\n    ${text}`,
  'a block of HTML': (text) => `<div>${text}</div>`,
  'a block of HTML over lines': (text) => `<details><summary>More</summary>\n${text}\n</details>`,
  'a formula': (text) => `a $x ${text} y$ b`,
  'a comment': (text) => `<!-- ${text} -->`,
  ...Object.fromEntries(
    ['code', 'kbd', 'samp', 'tt', 'pre'].flatMap((tag) => [
      [`<${tag}>`, (text: string) => `see <${tag}>${text}</${tag}>`],
      [
        `<${tag}> with attributes and emphasis`,
        (text: string) => `a <${tag.toUpperCase()} class="x">**b** ${text}</${tag}> c`,
      ],
      [`a block of <${tag}>`, (text: string) => `<${tag}>\n${text}\n</${tag}>`],
      [`a block of <${tag}> with empty lines`, (text: string) => `<div><${tag}>\n\n${text}\n\n</${tag}></div>`],
      [`<${tag}> in a list`, (text: string) => `- <${tag}>a\n  ${text}</${tag}>`],
      [`<${tag}> that is not closed`, (text: string) => `see <${tag}> ${text}`],
    ]),
  ),
}

/** What leaves a reference alone. */
const alive: Readonly<Record<string, (text: string) => string>> = {
  nothing: (text) => text,
  'a code span before it': (text) => `\`code\` ${text}`,
  'closed elements before it': (text) => `<kbd>a</kbd> <code>b</code> ${text}`,
  'an element that the block before ended': (text) => `- <code>a\n\n${text}`,
  'a comment with a tag before it': (text) => `<!-- <code> -->\n\n${text}`,
  'an escape of something else': (text) => `\\* ${text}`,
  'a footnote': (text) => `a[^1]\n\n[^1]: ${text}`,
  'a definition': (text) => `word\n: ${text}`,
  'Markdown within a block of HTML': (text) => `<details><summary>More</summary>\n\n${text}\n\n</details>`,
  'elements within a line': (text) => `a <b>${text}</b> <sub>b</sub>`,
  'an alert': (text) => `> [!NOTE]\n> ${text}`,
}

test('an escaped reference and one in a literal element is neither a link, nor recorded, nor does it notify or close', async () => {
  for (const [name, around] of Object.entries(literal)) {
    for (const reference of references) {
      const text = around(reference)
      assert.deepEqual(namedIn(text), { issues: [], accounts: [] }, `${name}: ${text}`)
      assert.doesNotMatch(await render(text), /class="(?:ref-issue|mention|issue-keyword)"/, `${name}: ${text}`)
    }
  }
})

test('other references are links and recorded', async () => {
  for (const [name, around] of Object.entries(alive)) {
    for (const reference of references) {
      const text = around(reference)
      const { issues, accounts } = namedIn(text)
      assert.equal(issues.length + accounts.length, 1, `${name}: ${text}`)
      assert.match(await render(text), /class="(?:ref-issue|mention)"/, `${name}: ${text}`)
    }
  }
})

test('a bare address ends before punctuation and marks of Markdown', async () => {
  const linkOf = async (text: string) => /href="([^"]*)"/.exec(await render(text))?.[1]
  const address = 'https://ex.org/a'
  for (const end of [':', '_', '~', '|', '`', '*', '.', ',', ';', '!', '?', '"', "'", '.:', ':**', '_.', '~|']) {
    assert.equal(await linkOf(`see ${address}${end} now`), address, end)
    assert.equal(await linkOf(address + end), address, end)
  }
  for (const kept of [`${address}_b`, `${address}:b`, `${address}/~b/`, `${address}/b_(c)`, `${address}-`]) {
    assert.equal(await linkOf(`see ${kept}, now`), kept)
  }
  assert.match(
    await render(`_${address}_`),
    /<em><a href="https:\/\/ex.org\/a" rel="nofollow">https:\/\/ex.org\/a<\/a><\/em>/,
  )
})

test('the address of an account of another server mentions nobody here', async () => {
  for (const text of ['@bob@ex.org', 'see @bob@ex.org.', '(@bob@ex.org)', '@crew/team@ex.org', '@bob@ex', '@a/b/c']) {
    assert.deepEqual(namedIn(text), { issues: [], accounts: [] }, text)
    assert.doesNotMatch(await render(text), /class="mention"/, text)
  }
  for (const text of ['@bob', '@bob.', '@bob, x', '(@bob)', '@bob: x', "@bob's", '@crew/team']) {
    assert.match(await render(text), /class="mention"/, text)
  }
})

test('an entity at the end of a bare address is not part of it', async () => {
  const linkOf = async (text: string) => /href="([^"]*)"/.exec(await render(text))?.[1]
  for (const entity of ['&amp;', '&lt;', '&gt;', '&copy;', '&#39;', '&#x27;', '&quot;&amp;', '&nbsp;.']) {
    assert.equal(await linkOf(`see https://ex.org/a${entity} now`), 'https://ex.org/a', entity)
  }
  assert.equal(await linkOf('see https://ex.org/?a=1&b=2; now'), 'https://ex.org/?a=1&amp;b=2')
})

test('the first 20,000 references of a text are links, and lines that are not rendered name nothing', () => {
  const rules = { rootUrl: 'https://forge.example', repository: 'ann/one', numbers: true, keywords: defaultKeywords }
  const segments = findReferences('#1 '.repeat(maxReferences + 5), rules)
  assert.equal(segments.filter((segment) => typeof segment === 'object').length, maxReferences)
  assert.equal(segments.at(-1), ' ' + '#1 '.repeat(5))
  assert.deepEqual(findReferences('#1', rules, 0), ['#1'])
  const lines = (count: number) => `@ann\n${'# a\n'.repeat(count)}@bob\n`
  assert.match(textRuns(lines(24_000)).text, /^@ann[\s\S]*@bob$/)
  const { text } = textRuns(lines(26_000))
  assert.match(text, /^@ann/)
  assert.doesNotMatch(text, /@bob/)
})
