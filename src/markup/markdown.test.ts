import assert from 'node:assert/strict'
import test from 'node:test'
import { linkBases, resolveAddress } from './links.ts'
import { renderMarkdown, type MarkdownOptions } from './markdown.ts'
import { withReferences } from './texts.ts'
import { defaultMarkupSettings } from './markup-settings.ts'
import type { ReferenceCandidates, ResolveReferences } from './references.ts'

const rootUrl = 'https://forge.example/'

function render(
  text: string,
  { resolve, ...more }: Partial<MarkdownOptions> & { readonly resolve?: ResolveReferences } = {},
): Promise<string> {
  const mode = more.mode ?? 'comment'
  const bases = linkBases({ rootUrl, context: '/ann/one', mode })
  const options = { mode, bases, rootUrl, repository: 'ann/one', ...more }
  return withReferences((found) => renderMarkdown(text, { ...options, ...found }), resolve)
}

test('renderMarkdown: the code of an unclosed fence ends with a newline like that of a closed one', async () => {
  const codeOf = async (text: string) => /<code[^>]*>([^<]*)<\/code>/.exec(await render(text))?.[1]
  const closed = ['```\na\n```', '```\na\n```\n']
  const unclosed = ['```\na', '```\na\n', '~~~\na', '- ```\n  a', '> ```\n> a']
  for (const text of [...closed, ...unclosed]) assert.equal(await codeOf(text), 'a\n', JSON.stringify(text))
  assert.equal(await codeOf('```'), '')
})

test('renderMarkdown: all candidates are looked up at once', async () => {
  const batches: ReferenceCandidates[] = []
  const html = await render('@bea @bea. abcdef0 and\n\n- @nobody 1234567', {
    resolve: async (candidates) => {
      batches.push(candidates)
      return { mentions: new Set(['bea']), commits: new Set(['abcdef0']) }
    },
  })
  assert.deepEqual(batches, [{ mentions: ['bea', 'nobody'], commits: ['abcdef0', '1234567'] }])
  assert.equal(html.match(/class="mention"/g)?.length, 2)
  assert.match(
    html,
    /<a href="https:\/\/forge.example\/ann\/one\/commit\/abcdef0" rel="nofollow"><code>abcdef0<\/code><\/a>/,
  )
  assert.match(html, /<li>@nobody 1234567<\/li>/)
})

test('renderMarkdown: a text without candidates causes no lookup', async () => {
  const resolve = (): never => assert.fail('asked')
  assert.equal(
    await render('plain `@code` [@link](x) a@b.example', { mode: 'markdown', resolve }).then((html) => html.length > 0),
    true,
  )
  await render('`abcdef0` [abcdef0](x) <a href="y">@bea</a>', { resolve })
})

test('renderMarkdown: closing keywords before issues are marked in any letter case and with a colon', async () => {
  const html = await render('Closes: #1, RESOLVED ann/two#2, prefixes #3, reopens !4')
  assert.deepEqual(html.match(/<span class="issue-keyword">\w+<\/span>/g), [
    '<span class="issue-keyword">Closes</span>',
    '<span class="issue-keyword">RESOLVED</span>',
    '<span class="issue-keyword">reopens</span>',
  ])
})

test('renderMarkdown: an escaped mark is neither a reference nor an emoji', async () => {
  assert.equal(await render('\\#1 \\:smile:'), '<p dir="auto">#1 :smile:</p>\n')
})

test('renderMarkdown: addresses of the instance are shortened', async () => {
  const shown = async (address: string): Promise<string | undefined> => />([^<]*)<\//.exec(await render(address))?.[1]
  assert.equal(await shown('https://forge.example/ann/one/issues/3#issuecomment-5'), '#3 (comment)')
  assert.equal(await shown('https://forge.example/bea/two/issues/3'), 'bea/two#3')
  assert.equal(await shown('https://forge.example/ann/one/pulls/3'), '!3')
  assert.equal(
    await shown('https://forge.example/ann/one/src/commit/0123456789abcdef/README.md'),
    '0123456789/README.md',
  )
  assert.equal(await shown('https://forge.example/ann/one/issues?q=1'), 'https://forge.example/ann/one/issues?q=1')
})

test('renderMarkdown: the position of a task is the byte of its bracket in the source', async () => {
  const source = '---\ntitle: é\n---\n# é\r\n\r\n- [ ] a\r\n  - [x] `[ ]`\n> 1. [ ] b'
  const html = await render(source)
  const positions = [...html.matchAll(/data-source-position="(\d+)"/g)].map((match) => Number(match[1]))
  const bytes = Buffer.from(source)
  assert.equal(positions.length, 3)
  assert.deepEqual(
    positions.map((at) => bytes.subarray(at, at + 3).toString()),
    ['[ ]', '[x]', '[ ]'],
  )
})

test('renderMarkdown: front matter becomes a collapsed table; anything but a mapping stays text', async () => {
  assert.match(
    await render('---\na: {b: 1}\n---\nx'),
    /^<details class="frontmatter-content">.*<th>b<\/th>.*<\/details>\n<p dir="auto">x<\/p>\n$/s,
  )
  assert.match(await render('---\njust text\n---\n'), /<h2 id="user-content-just-text"/)
  assert.match(await render('---\na: [\n---\nx'), /^<hr/)
})

test('renderMarkdown: code of a known language is highlighted, other code is text', async () => {
  assert.match(
    await render('```ts\nconst a = "<b>"\n```'),
    /language-ts display"><span class="hljs-keyword">const<\/span>.*&lt;b&gt;/,
  )
  assert.match(await render('```brainfuck\n+[]\n```'), /language-brainfuck display/)
  assert.match(await render('```nonsense\n<x>\n```'), /language-text display">&lt;x&gt;\n</)
  assert.match(
    await render('```mermaid\ngraph TD\n```'),
    /<pre class="code-block is-loading"><code class="chroma language-mermaid display">graph TD/,
  )
})

test('renderMarkdown: a footnote with several references links back to each', async () => {
  const html = await render('a[^n] b[^n] ^[here]\n\n[^n]: note\n[^unused]: x')
  assert.match(html, /<sup id="fnref1:user-content-n"><a href="#fn:user-content-n" rel="nofollow">1<\/a><\/sup>/)
  assert.match(html, /note <a href="#fnref:user-content-n" rel="nofollow">↩︎<\/a> <a href="#fnref1:user-content-n"/)
  assert.match(html, /<li id="fn:user-content-inline-2">/)
  assert.doesNotMatch(html, /unused/)
})

test('renderMarkdown: amounts of money are not formulas', async () => {
  assert.match(
    await render('$a_b$ and $$x$$'),
    /<code class="language-math is-loading">a_b<\/code> and <code class="language-math display is-loading">x</,
  )
  assert.equal(await render('it costs $5 and $6 a$b'), '<p dir="auto">it costs $5 and $6 a$b</p>\n')
  assert.match(await render('$$\nx\n\ny\n$$'), /<code class="chroma language-math display">x\n\ny\n<\/code>/)
})

test('renderMarkdown: no form of markup passes a script', async () => {
  const attacks = [
    '<a href="jav&#x09;ascript:alert(1)">x</a> <a href="&#1;javascript:1">y</a> <a href="javascript&colon;1">z</a>',
    '<svg onload=alert(1)><p>x</p><svg></svg><b onclick=1>y</b></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<textarea></p><img src=x onerror=alert(1)></textarea>',
    '<p style="background-color: url(javascript:alert(1)); color: expression(alert(1))">x</p>',
    '[x](<javascript:alert(1)>) ![y](javascript:alert(1)) <javascript:alert(1)>',
    '[a]: javascript:alert(1)\n\n[a] ![a]',
    '`<img src=x onerror=alert(1)>` :smile:<img src=x onerror=alert(1)>',
    '```html"><img src=x onerror=alert(1)>\nx\n```',
    '[^"><img src=x onerror=alert(1)>]\n\n[^"><img src=x onerror=alert(1)>]: x',
    '---\n"<img src=x onerror=alert(1)>": "<script>alert(1)</script>"\n---\n',
    '@bea"><script>alert(1)</script> #1"><img src=x onerror=1>',
    '<iframe srcdoc="<script>alert(1)</script>"><img src=x onerror=alert(1)></iframe>',
    '<details open ontoggle=alert(1)><form action="javascript:alert(1)"><button formaction="javascript:1">x</button></form>',
  ]
  for (const attack of attacks) {
    for (const mode of ['markdown', 'gfm', 'comment'] as const) {
      const html = await render(attack, {
        mode,
        resolve: async (all) => ({ mentions: new Set(all.mentions), commits: new Set() }),
      })
      const tags = html.match(/<[^>]*>/g) ?? []
      for (const tag of tags) {
        assert.doesNotMatch(
          tag,
          /\son\w+\s*=|javascript|srcdoc|formaction|expression|^<\/?(?:script|style|iframe|form|math|noscript)/i,
          `${attack}: ${html}`,
        )
      }
      assert.doesNotMatch(html, /<svg[^>]*>(?!<\/svg>)/, html)
    }
  }
})

test('renderMarkdown: a text that is too long is shown unrendered; an adversarial one takes seconds at most', async () => {
  const settings = { ...defaultMarkupSettings, maxBytes: 10 }
  assert.equal(await render('*<b>* x y z', { settings }), '<pre>*&lt;b&gt;* x y z</pre>')
  const odd = [
    '[a]('.repeat(20_000),
    '*a '.repeat(50_000),
    '@a '.repeat(50_000),
    '>'.repeat(20_000),
    '<b>'.repeat(20_000),
    ':a'.repeat(50_000),
  ]
  for (const text of odd) {
    // Of this process's own time: what else the machine does is nothing to it.
    const before = process.cpuUsage()
    await render(text)
    assert.ok(process.cpuUsage(before).user < 5_000_000, text.slice(0, 10))
  }
})

test('renderMarkdown: settings control line breaks, formulas and schemes', async () => {
  const settings = {
    ...defaultMarkupSettings,
    hardBreaks: { comments: false, documents: true },
    math: false,
    urlSchemes: ['git'],
  }
  assert.equal(await render('a\nb $x$', { settings }), '<p dir="auto">a\nb $x$</p>\n')
  assert.equal(await render('a\nb', { settings, mode: 'gfm' }), '<p dir="auto">a<br />\nb</p>\n')
  assert.match(await render('git://git.example/x', { settings }), /<a href="git:\/\/git.example\/x"/)
})

test('linkBases: each mode resolves relative addresses in its own way', () => {
  const join = (
    input: Partial<Parameters<typeof linkBases>[0]>,
    address: string,
    kind: 'link' | 'media' = 'link',
  ): string => resolveAddress(linkBases({ rootUrl, context: '/ann/one', mode: 'gfm', ...input }), address, kind)
  assert.equal(join({}, 'a.txt?x=1#y'), 'https://forge.example/ann/one/a.txt?x=1#y')
  assert.equal(join({}, '../../../../x'), 'https://forge.example/x')
  assert.equal(join({ mode: 'markdown' }, 'a/./b/'), '/ann/one/a/b/')
  assert.equal(join({ context: '', mode: 'markdown' }, 'a.md'), 'a.md')
  assert.equal(join({ wiki: true }, 'x.png', 'media'), 'https://forge.example/ann/one/wiki/raw/x.png')
  assert.equal(
    join({ branchPath: 'branch/main' }, 'x.png', 'media'),
    'https://forge.example/ann/one/media/branch/main/x.png',
  )
  assert.equal(join({ context: 'https://other.example/x/' }, '/f'), 'https://other.example/f')
  assert.equal(join({}, '//other.example/x'), '//other.example/x')
  assert.equal(join({}, '#x'), '#user-content-x')
})

test('resolveAddress: a link to a part of another text has the prefix of ids in texts', () => {
  const file = linkBases({ rootUrl, context: '/ann/one', mode: 'gfm', branchPath: 'branch/main' })
  const wiki = linkBases({ rootUrl, context: '/ann/one', mode: 'gfm', wiki: true })
  const link = (bases: typeof file, address: string) =>
    resolveAddress(bases, address, 'link').slice('https://forge.example/ann/one/'.length)
  assert.equal(link(file, 'b.md#deep-part'), 'src/branch/main/b.md#user-content-deep-part')
  assert.equal(link(file, '../docs/B.MD?x=1#a'), 'src/branch/docs/B.MD?x=1#user-content-a')
  assert.equal(link(file, '/ann/one/src/branch/main/c.org#a'), 'src/branch/main/c.org#user-content-a')
  assert.equal(link(wiki, 'Home#start'), 'wiki/Home#user-content-start')
  assert.equal(link(wiki, '../issues/3#issuecomment-4'), 'issues/3#issuecomment-4')
  for (const kept of [
    'b.md#L3',
    'b.md#L3-L7',
    'b.md#',
    'b.ts#L1',
    'b.txt#part',
    'b.md#user-content-a',
    'b.md?display=source#L3',
  ]) {
    assert.equal(link(file, kept), `src/branch/main/${kept}`)
  }
  assert.equal(resolveAddress(file, 'b.md#a', 'media'), 'https://forge.example/ann/one/media/branch/main/b.md#a')
})

test('renderMarkdown: a picture keeps its forms for dark pages and other sizes, with resolved addresses', async () => {
  const source = async (attributes: string) =>
    /<source[^>]*>/.exec(
      await render(`<picture><source ${attributes}><img src="a.png"></picture>`, { mode: 'gfm' }),
    )?.[0]
  assert.equal(
    await source('media="(prefers-color-scheme: dark)" srcset="dark.png"'),
    '<source media="(prefers-color-scheme: dark)" srcset="https://forge.example/ann/one/dark.png">',
  )
  assert.equal(
    await source('srcset="a.png 1x,  https://o.example/b,c.png?d 2.5x,/e.png 640w" sizes="50vw"'),
    '<source srcset="https://forge.example/ann/one/a.png 1x, https://o.example/b,c.png?d 2.5x, https://forge.example/e.png 640w" sizes="50vw">',
  )
  for (const refused of ['javascript:alert(1)', 'data:image/svg+xml,x 2x', ' ', 'java\tscript:x', ', ,']) {
    assert.equal(await source(`srcset="${refused}"`), '<source>', refused)
  }
  assert.equal(
    await source('srcset="vbscript:x 1x, b.png 2x"'),
    '<source srcset="https://forge.example/ann/one/b.png 2x">',
  )
})
