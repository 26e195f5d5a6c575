import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkBases } from './links.ts'
import { renderMarkdown, type MarkdownOptions } from './markdown.ts'

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

test('sanitize: clients of the API get ids and buttons as they are written', async () => {
  const html = await render('<p id="y">a</p><button>b</button>', { isForApi: true })
  assert.match(html, /id="y"/)
  assert.match(html, /<button>b<\/button>/)
})
