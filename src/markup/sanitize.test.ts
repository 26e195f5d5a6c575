import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { linkBases } from './links.ts'
import { renderMarkdown, type MarkdownOptions } from './markdown.ts'
import { sanitize } from './sanitize.ts'

const rootUrl = 'https://forge.example/'

async function render(text: string, more: Partial<MarkdownOptions> = {}): Promise<string> {
  const bases = linkBases({ rootUrl, context: '/ann/one', mode: 'comment' })
  return (await renderMarkdown(text, { mode: 'comment', bases, rootUrl, ...more })).html
}

/** Ids of the pages, of every kind. */
const pageIds = ['palette', 'shortcuts', 'confirm-dialog', 'issuecomment-1', 'L1', 'timeline', 'new_comment']

test('sanitize: no element of a text has an id or a name of the page', async () => {
  for (const id of pageIds) {
    const html = await render(
      `<p id="${id}">a</p> <a name="${id}" href="#${id}">b</a> <h2 id=" ${id} ">c</h2>\n\n# ${id}\n\n<svg id=${id}></svg>`,
    )
    const given = [...html.matchAll(/ (?:id|name)="([^"]*)"/g)].map(([, value = '']) => value)
    assert.ok(given.length >= 4, html)
    for (const value of given) assert.match(value, /^user-content-/)
    assert.match(html, new RegExp(`href="#user-content-${id}"`))
  }
})

test('sanitize: equal texts with different scopes share no id, and their links and headers stay inside', async () => {
  const text =
    '# Install\n\n[to it](#install) note[^n] again[^n] ^[inline]\n\n[^n]: here\n\n' +
    '<table><tr><th id="h">a</th><th id="i">b</th></tr><tr><td headers="h i">c</td></tr></table>'
  const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
  const texts = [await render(text), await render(text, { idScope: 'comment-1' }), await render(text, { idScope: 'x' })]
  const ids = texts.map(idsOf)
  assert.ok((ids[0] ?? []).length >= 6, texts[0])
  assert.equal(new Set(ids.flat()).size, ids.flat().length)
  for (const [index, html] of texts.entries()) {
    const own = new Set(ids[index])
    const links = [...html.matchAll(/ href="#([^"]*)"/g)].map(([, id = '']) => id)
    const headers = [...html.matchAll(/ headers="([^"]*)"/g)].flatMap(([, list = '']) => list.split(' '))
    assert.equal(headers.length, 2)
    for (const id of [...links, ...headers]) assert.ok(own.has(id), `${id} in ${html}`)
  }
})

test('sanitize: HTML of people has no role, button or data attribute; those of the renderer stay', async () => {
  const html = await render(
    '<div role="dialog" data-live="/x">a</div> <button data-opens="palette">b</button> ' +
      '<input type="checkbox" data-source-position="3"> <span data-alias="x">c</span>\n\n- [ ] :smile: task',
  )
  assert.doesNotMatch(html, /role=|<button|data-live|data-opens|="3"|data-alias="x"/)
  assert.match(html, /data-source-position="\d+"/)
  assert.match(html, /data-alias="smile"/)
})

/** Elements that a text may contain, and some that it may not. */
const elements = [
  ...[
    'a',
    'article',
    'aside',
    'audio',
    'blockquote',
    'button',
    'code',
    'dd',
    'details',
    'dialog',
    'div',
    'dl',
    'dt',
    'em',
  ],
  ...[
    'figure',
    'font',
    'footer',
    'form',
    'h1',
    'h2',
    'header',
    'i',
    'iframe',
    'img',
    'input',
    'kbd',
    'li',
    'main',
    'mark',
  ],
  ...[
    'nav',
    'ol',
    'p',
    'picture',
    'pre',
    'section',
    'small',
    'source',
    'span',
    'strong',
    'summary',
    'svg',
    'table',
    'tbody',
  ],
  ...['td', 'template', 'textarea', 'th', 'time', 'tr', 'tt', 'turbo-frame', 'ul', 'video'],
]

/** Classes of the style sheets that the renderers of texts write, so that people can write them as well. */
const ofTexts =
  /^(?:hljs-[a-z_-]+|[a-z]+_|language-[a-z]+|attention-(?:header|title|icon|note|tip|important|warning|caution)|ref-issue|mention|emoji|color-preview|issue-keyword|org-(?:todo|done)|chroma|display|in-title|is-loading|code-block|task-list-item|data-table|line-num|frontmatter-content)$/

test('sanitize: people cannot give an element a class of the pages', async () => {
  const folder = 'src/web/styles'
  const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'))
  const classes = new Set(
    sheets.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/\.([a-zA-Z_][\w-]*)/g)].map(([, each = '']) => each),
    ),
  )
  assert.ok(classes.has('flash') && classes.has('button') && classes.size > 300, `${classes.size} classes`)
  const all = [...classes].join(' ')
  const bases = linkBases({ rootUrl, context: '/ann/one', mode: 'comment' })
  const html = sanitize(elements.map((each) => `<${each} class="${all}">x</${each}>`).join('\n'), { bases })
  const kept = new Set([...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, list = '']) => list.split(' ')))
  assert.deepEqual(
    [...kept].filter((each) => each !== '' && !ofTexts.test(each)),
    [],
  )
  assert.ok(kept.size > 10, [...kept].join())
})

test('sanitize: no attribute of people moves, hides, focuses or names a part of the page, and no form is theirs', async () => {
  const attributes = [
    'role="alert" aria-live="assertive" aria-expanded="true" aria-modal="true" aria-labelledby="palette" aria-controls="x"',
    'tabindex="0" accesskey="s" contenteditable autofocus hidden popover inert is="x-y" slot="a" part="b" draggable="true"',
    'data-opens="palette" data-turbo-frame="_top" data-turbo-stream data-hotkey="?" data-confirm="x" data-url="/x"',
    'onclick="alert(1)" onload="alert(1)" style="position:fixed;inset:0;color:red;background:url(//x)" nonce="x"',
    'name="_csrf" value="x" form="f" formaction="/x" action="/x" method="post" ping="//x" download http-equiv="refresh"',
    'itemprop="x" xml:base="//x" xlink:href="javascript:x" background="//x" usemap="#x" srcdoc="x" sandbox',
  ].join(' ')
  const bases = linkBases({ rootUrl, context: '/ann/one', mode: 'comment' })
  const html = sanitize(elements.map((each) => `<${each} ${attributes}>x</${each}>`).join('\n'), { bases })
  const names = new Set([...html.matchAll(/ ([a-z][\w:-]*)(?:="[^"]*")/g)].map(([, name = '']) => name))
  // Lists have numbers; anchors have a prefixed name; a box is disabled.
  assert.deepEqual([...names].toSorted(), ['name', 'style', 'value'])
  assert.doesNotMatch(html, /<(?:form|button|dialog|iframe|template|textarea|turbo-frame|nav|main|input)\b/)
  for (const [, style] of html.matchAll(/ style="([^"]*)"/g)) assert.equal(style, 'color: red')
  for (const [, name] of html.matchAll(/ name="([^"]*)"/g)) assert.equal(name, 'user-content-_csrf')
  for (const [tag] of html.matchAll(/<\w+[^>]* value="[^"]*"/g)) assert.match(tag, /^<li /)
})

test('sanitize: clients of the API get ids and buttons as they are written', async () => {
  const html = await render('<p id="y">a</p><button>b</button>', { isForApi: true })
  assert.match(html, /id="y"/)
  assert.match(html, /<button>b<\/button>/)
})
