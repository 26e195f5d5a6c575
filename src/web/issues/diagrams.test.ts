import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openContext, skip } from '../../testing/chromium.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { assetPath } from '../shell/assets.ts'
import { reachValue } from '../shell/scripts.test-support.ts'

const fence = (text: string, language = 'mermaid'): string => `\`\`\`${language}\n${text}\n\`\`\`\n`

/** Opens an issue with a text, and collects requests, dialogs and errors of the page and its frames. */
async function openIssue(forge: Forge, body: string, javaScriptEnabled = true, before?: (page: Page) => Promise<void>) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Plan', body })
  const context = await openContext({ baseURL: forge.url, javaScriptEnabled })
  const page = await context.newPage()
  const requests: string[] = []
  const wrong: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  await before?.(page)
  await page.goto(`/${repo.fullName}/issues/1`)
  return { repo, page, requests, wrong, [Symbol.asyncDispose]: () => context.close() }
}

const drawn = '.diagram[data-state=drawn]'
const shownIn = (page: Page, index = 0) => page.frameLocator('.diagram-frame').nth(index)

test('a diagram is drawn in a sandboxed frame, and only pages that have one load the library', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  await using plain = await openIssue(forge, fence('graph TD', 'text'))
  await plain.page.waitForLoadState('networkidle')
  assert.deepEqual(
    plain.requests.filter((url) => url.includes('diagram')),
    [],
  )

  const source = 'graph TD\n  A[Ore] --> B[Ingot]'
  await using shown = await openIssue(forge, `${fence(source)}\n${fence('sequenceDiagram\n  ada->>bob: Hello')}`)
  const { page } = shown
  await page.locator(drawn).nth(1).waitFor()
  await shownIn(page).locator('svg').getByText('Ingot').waitFor()
  await shownIn(page, 1).locator('svg').getByText('Hello').first().waitFor()
  const frames = page.locator('iframe')
  for (const frame of await frames.all()) assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts')
  assert.equal(await frames.count(), 3)
  assert.equal(shown.requests.filter((url) => url.includes('diagram-library')).length, 1, 'read once')
  // The document of the page cannot reach into a frame, and the other way round.
  assert.equal(await page.evaluate(`document.querySelector('.diagram-frame').contentDocument`), null)
  assert.equal(await page.locator('pre.is-loading').first().isVisible(), false)
  await page.getByRole('button', { name: 'Source', exact: true }).first().click()
  assert.equal(await page.locator('pre.is-loading').first().isVisible(), true)
  assert.equal(await page.getByRole('button', { name: 'Copy source' }).first().getAttribute('data-copy'), `${source}\n`)
  await page.getByRole('button', { name: 'Full width' }).first().click()
  await page.frameLocator('dialog .diagram-frame').locator('svg').getByText('Ingot').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog.diagram-dialog').waitFor({ state: 'detached' })
  assert.deepEqual(shown.wrong, [])
})

test('without scripts, a diagram is its source', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  await using shown = await openIssue(forge, fence('graph TD\n  A --> B'), false)
  assert.match(await shown.page.locator('pre code.language-mermaid').innerText(), /A --> B/)
})

test('a faulty diagram shows its source and the message; one that is too long is not drawn', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const many = `graph TD\n${Array.from({ length: 100_000 }, (_, index) => `n${index}`).join('\n')}`
  await using shown = await openIssue(forge, `${fence('graph TD\n  A[[[ --> <b>B')}\n${fence(many.slice(0, 60_000))}`)
  const { page } = shown
  await page.locator('.diagram[data-state=failed]').waitFor()
  assert.match(await page.locator('.diagram [role=status]').innerText(), /Parse error|Syntax error|Lexical error/i)
  assert.equal(await page.locator('pre', { hasText: 'A[[[' }).isVisible(), true)
  assert.equal(await page.locator('.diagram').count(), 1)
  assert.equal(await page.locator('pre', { hasText: 'n5000' }).isVisible(), true)
  assert.deepEqual(shown.wrong, [])
})

const hostile = [
  'graph TD\n  A[x] --> B\n  click A call parent.hit()\n  click B href "javascript:parent.hit()"',
  'graph TD\n  A["<img src=https://example.com/a.png onerror=parent.hit()>"] --> B["<script>parent.hit()</script>"]',
  'graph TD\n  A["<iframe src=https://example.com></iframe><form action=https://example.com><button>x</button></form>"]',
  `%%{init: {"securityLevel": "loose", "themeCSS": "@import url(https://example.com/b.css); * { position: fixed }", "htmlLabels": true}}%%
graph TD
  A["<a href='javascript:parent.hit()'>link</a>"] --> B
  click A call parent.hit()`,
  `---
config:
  securityLevel: loose
  maxEdges: 1000000
  dompurifyConfig:
    ADD_TAGS: ["script"]
  fontFamily: "x;}*{background:url(https://example.com/c.png)}"
---
graph TD
  A --> B
  style A fill:url(https://example.com/d.svg#x)
  classDef x fill:#fff;background:url(https://example.com/e.png)`,
  'graph TD\n  A[x] --> B\n  click B href "https://example.com/f" _top',
]

test('hostile diagrams reach nothing outside of their frame', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  // Chromium also reports requests that the policy refuses; only others arrive here.
  const arrived: string[] = []
  const body = hostile.map((text) => fence(text)).join('\n')
  await using shown = await openIssue(forge, body, true, async (page) => {
    await page.route('https://example.com/**', (route) => {
      arrived.push(route.request().url())
      return route.fulfill({ body: 'x' })
    })
  })
  const { page } = shown
  await page.evaluate(`globalThis.hit = () => { document.title = 'hit' }`)
  const ended = page.locator('.diagram:is([data-state=drawn], [data-state=failed])')
  for (let index = 0; index < hostile.length; index++) {
    await page.locator('.diagram').nth(index).scrollIntoViewIfNeeded()
    await ended.nth(index).waitFor()
  }
  assert.ok((await page.locator(drawn).count()) >= 3, 'most are valid diagrams')
  for (const frame of page.frames().filter((each) => each !== page.mainFrame())) {
    for (const link of await frame.locator('a, .clickable').all()) {
      await link.dispatchEvent('click')
    }
  }
  // The frames answer, so what the clicks began has run.
  for (const frame of page.frames()) await frame.evaluate('document.readyState')
  assert.match(await page.title(), /^Plan/)
  assert.deepEqual(arrived, [])
  assert.deepEqual(
    shown.wrong.filter((text) => text.startsWith('dialog')),
    [],
  )
  for (const frame of page.frames()) assert.ok(frame.url().startsWith(forge.url), frame.url())
})

/** Holds back what a page would do after 5 s, the longest time of a drawing: `expire()` does it now. */
const heldTime = `(() => {
  if (top !== window) return
  const held = new Map()
  const [begin, end] = [setTimeout, clearTimeout]
  globalThis.setTimeout = (act, ms, ...rest) => {
    if (ms !== 5000) return begin(act, ms, ...rest)
    const id = begin(() => {}, 0)
    held.set(id, act)
    return id
  }
  globalThis.clearTimeout = (id) => (held.delete(id), end(id))
  globalThis.expire = () => {
    const acts = [...held.values()]
    held.clear()
    for (const act of acts) act()
    return acts.length
  }
  globalThis.endless = 0
  addEventListener('message', ({ data, ports }) => {
    if (data !== 'endless') return
    endless++
    ports[0].postMessage('begin')
  })
})()`

test('a drawing that never ends loses its frame, shows its source, and the next one is drawn', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const library = `globalThis.mermaid = { initialize() {}, async render(id, text) {
    if (text.includes('endless')) {
      const { port1, port2 } = new MessageChannel()
      parent.postMessage('endless', '*', [port2])
      await new Promise((resolve) => (port1.onmessage = resolve))
      for (;;);
    }
    return { svg: '<svg viewBox="0 0 40 20"><text>ended</text></svg>' } } }`
  const text = [...Array.from({ length: 4 }, (_, index) => fence(`endless ${index}`)), fence('short')]
  await using shown = await openIssue(forge, [fence('short'), ...text].join('\n'), true, async (page) => {
    await page.addInitScript(heldTime)
    await page.route('**/assets/diagram-library-*', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: library }),
    )
  })
  const { page } = shown
  await page.locator(drawn).first().waitFor()
  const failed = page.locator('.diagram[data-state=failed]')
  for (let begun = 1; begun <= 3; begun++) {
    await reachValue(page, `endless === ${begun}`, true)
    assert.equal(await failed.count(), begun - 1, 'it has its time')
    assert.equal(await page.evaluate('expire()'), 1)
    await failed.nth(begun - 1).waitFor()
  }
  // After three, no others are drawn.
  await failed.nth(3).waitFor()
  assert.equal(await page.evaluate('endless'), 3)
  const states = await page.locator('.diagram').evaluateAll((all) => all.map((each) => each.getAttribute('data-state')))
  assert.deepEqual(states, ['drawn', 'failed', 'failed', 'failed', 'failed', 'drawn'], 'from the top')
  assert.match(await page.locator('.diagram [role=status]').nth(1).innerText(), /takes too long/)
  assert.equal(await page.locator('pre', { hasText: 'endless 1' }).isVisible(), true)
  // It was drawn before, so it needs no frame to draw.
  await page.locator('.diagram').last().scrollIntoViewIfNeeded()
  await page.locator(drawn).nth(1).waitFor()
  assert.equal(await page.locator('.diagram-pen').count(), 0)
})

test('fifty diagrams are drawn as they come near, and a refresh of the page keeps them', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const body = Array.from({ length: 50 }, (_, index) => fence(`graph TD\n  A --> B --> C --> D${index}`)).join('\n')
  await using shown = await openIssue(forge, body)
  const { page } = shown
  await page.locator(drawn).first().waitFor()
  assert.ok((await page.locator('.diagram-frame').count()) < 50)
  await page.locator('.diagram').last().scrollIntoViewIfNeeded()
  await shownIn(page, -1).locator('svg').getByText('D49').waitFor()
  assert.ok((await page.locator('.diagram-frame').count()) < 50)
  const count = await page.locator(drawn).count()
  await page.evaluate(
    `new Promise((shown) => {
      addEventListener('turbo:load', shown, { once: true })
      Turbo.visit(location.href, { action: 'replace' })
    }).then(() => undefined)`,
  )
  assert.ok((await page.locator(drawn).count()) >= count)
  assert.deepEqual(shown.wrong, [])
})

test('webAsset: the document of frames has an opaque origin, may load nothing, and is framed by this site only', async () => {
  await using forge = await startForge({ settings: { cors: { X_FRAME_OPTIONS: 'DENY' } } })
  const { headers, status } = await fetch(forge.url + assetPath(forge.app.services.config, 'diagram-frame.html'))
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html;charset=utf-8')
  assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN')
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; script-src 'sha256-[\w+/=]+' blob:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts$/,
  )
})
