import assert from 'node:assert/strict'
import test from 'node:test'
import { emojiByName, findEmoji } from './emoji.ts'
import { highlightCode, maxHighlightLength } from './highlight.ts'
import { linkBases } from './links.ts'
import { markupKind } from './markup-kind.ts'
import { renderFile } from './markup.ts'

const rootUrl = 'https://forge.example/'
const bases = linkBases({ rootUrl, context: '/ann/one', mode: 'gfm' })
const render = async (source: string, path: string): Promise<string> =>
  (await renderFile(source, markupKind(path) ?? 'markdown', { mode: 'gfm', bases, rootUrl })).html

test('renderFile: the extension of a name decides the kind', async () => {
  assert.equal(markupKind('docs/A.MD'), 'markdown')
  assert.equal(markupKind('a.b/README'), undefined)
  assert.equal(markupKind('a.xyz'), undefined)
  assert.equal(await render(' \n', 'a.md'), '')
})

test('renderFile: CSV and TSV files become tables', async () => {
  assert.equal(
    await render('\ufeffa;"b;c"\r\n"two\nlines";"say ""hi"""\r\n\r\n3;<b>', 'x.csv'),
    '<table class="data-table"><tr><th class="line-num">1</th><th>a</th><th>b;c</th></tr>' +
      '<tr><td class="line-num">2</td><td>two\nlines</td><td>say &#34;hi&#34;</td></tr>' +
      '<tr><td class="line-num">5</td><td>3</td><td>&lt;b&gt;</td></tr></table>',
  )
  assert.match(await render('a\tb,c\n', 'x.tsv'), /<th>a<\/th><th>b,c<\/th>/)
})

test('renderFile: common Org syntax is rendered', async () => {
  const html = await render(
    [
      '#+TITLE: Paper',
      '* TODO Write /it/ :tag:',
      ':PROPERTIES:',
      ':ID: 1',
      ':END:',
      'See [[https://x.example][*the* site]], [[file:a.png]] and =code=.',
      '- [X] a',
      '  1. b',
      '| n | m |',
      '|---+---|',
      '| 1 | <script> |',
      '#+begin_src js',
      'let a = 1',
      '#+end_src',
      '#+begin_quote',
      'wise',
      '#+end_quote',
      '# a comment',
    ].join('\n'),
    'x.org',
  )
  assert.match(
    html,
    /^<h1 dir="auto">Paper<\/h1>\n<h1 id="user-content-write-it" dir="auto"><span class="org-todo">TODO<\/span> Write <i>it<\/i><\/h1>/,
  )
  assert.match(html, /<a href="https:\/\/x.example" rel="nofollow"><b>the<\/b> site<\/a>/)
  assert.match(html, /<img src="https:\/\/forge.example\/ann\/one\/a.png"/)
  assert.match(html, /<input type="checkbox" disabled checked \/>a\n<ol dir="auto">\n<li>b<\/li>\n<\/ol>/)
  assert.match(html, /<tr><th>n<\/th><th>m<\/th><\/tr>\n<tr><td>1<\/td><td>&lt;script&gt;<\/td><\/tr>/)
  assert.match(html, /language-js display"><span class="hljs-keyword">let/)
  assert.match(html, /<blockquote>\n<p dir="auto">wise<\/p>\n<\/blockquote>$/)
  assert.doesNotMatch(html, /comment|PROPERTIES/)
})

test('renderFile: unclosed Org blocks take linear time', async () => {
  const startMs = performance.now()
  await render('#+begin_src x\n:a:\n'.repeat(20_000), 'x.org')
  assert.ok(performance.now() - startMs < 5000)
})

test('highlightCode: long code and unknown languages are only escaped', async () => {
  assert.equal(await highlightCode('<a>', 'no such language'), '&lt;a&gt;')
  const long = 'let a\n'.repeat(maxHighlightLength / 6 + 1)
  assert.equal(await highlightCode(long, 'js'), long)
})

test('emoji: names and characters are found', () => {
  assert.equal(emojiByName('thumbsup')?.alias, '+1')
  assert.deepEqual(
    findEmoji('© 1 # 👨‍👩‍👧').map(({ emoji }) => emoji.alias),
    ['family_man_woman_girl'],
  )
})
