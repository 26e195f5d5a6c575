import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page, Route } from 'playwright-core'
import { Browser } from '../../testing/browser.ts'
import { openContext } from '../../testing/chromium.ts'
import type { Forge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'
import { assetPath } from './assets.ts'
import { pageHeaders } from './page-headers.ts'

export { skip } from '../../testing/chromium.ts'

/** Headers of a page. */
export const htmlHeaders = ({ app }: Forge): Record<string, string> => ({
  ...pageHeaders(app.services.config, 'en'),
  'content-type': 'text/html;charset=utf-8',
})

/** Answers a request instead of a server. */
export type Answer = (route: Route) => Promise<void> | void

/** Waits until a script has defined a custom element. */
export const isDefined = (page: Page, element: string) =>
  page.evaluate(`customElements.whenDefined('${element}').then(() => true)`)

/** A document with the scripts and styles of pages. */
const documentOf = ({ app }: Forge, content: string): string => {
  const { config } = app.services
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Test</title>
<link rel="icon" href="${assetPath(config, 'icons.svg')}">
<meta name="turbo-refresh-method" content="morph"><meta name="turbo-refresh-scroll" content="preserve">
<link rel="stylesheet" href="${assetPath(config, 'forge.css')}">
<script type="module" src="${assetPath(config, 'forge.js')}"></script></head><body>${content}</body></html>`
}

/** A server with a form at `/`, which redirects to itself after each post, and with the forge's assets. */
export async function serveForm(forge: Forge, body: (posts: number) => string) {
  let posts = 0
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url?.startsWith('/assets/')) {
        const asset = await fetch(forge.url + request.url)
        response.setHeader('content-type', asset.headers.get('content-type') ?? '')
        return response.end(await asset.text())
      }
      if (request.method === 'POST') {
        posts++
        return response.writeHead(303, { location: '/' }).end()
      }
      return response.writeHead(200, htmlHeaders(forge)).end(documentOf(forge, body(posts)))
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, [Symbol.dispose]: close }
}

/** An empty page, whose errors are collected, in a browser that answers the given addresses itself. */
async function openEmpty(forge: Forge, answers: Readonly<Record<string, Answer>>) {
  const context = await openContext({ baseURL: forge.url, permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text())
  })
  // With a single route, Playwright stops every request and the browser keeps no file.
  for (const [path, answer] of Object.entries(answers)) {
    await page.route(
      (url) => url.pathname === path,
      async (route) => answer(route),
    )
  }
  return { page, wrong, [Symbol.asyncDispose]: () => context.close() }
}

/** A page with this body at `/-/test`, in a browser that answers the given addresses itself. */
export async function openPage(
  forge: Forge,
  body: string | (() => string),
  answers: Readonly<Record<string, Answer>> = {},
) {
  const document = (content: string) => documentOf(forge, content)
  const shows = (content: () => string): Answer => {
    return (route) => route.fulfill({ headers: htmlHeaders(forge), body: document(content()) })
  }
  const it = await openEmpty(forge, {
    '/-/test': shows(typeof body === 'string' ? () => body : body),
    '/-/other': shows(() => '<h1>Other</h1>'),
    ...answers,
  })
  await it.page.goto('/-/test')
  await isDefined(it.page, 'turbo-frame')
  return { ...it, document }
}

/** An empty page with the sign-in of an account, or of nobody, in a browser that answers the given addresses itself. */
export async function openAs(forge: Forge, name?: string, answers: Readonly<Record<string, Answer>> = {}) {
  const it = await openEmpty(forge, answers)
  if (name !== undefined) {
    const cookies = (await Browser.of(forge, name))
      .cookieHeader()
      .split('; ')
      .map((each) => {
        const at = each.indexOf('=')
        return { name: each.slice(0, at), value: each.slice(at + 1), url: forge.url }
      })
    await it.page.context().addCookies(cookies)
  }
  return it
}

/** Waits until an expression has a value; the policy of pages forbids Playwright to evaluate one by itself. */
export async function reachValue(page: Page, expression: string, expected: string | boolean): Promise<void> {
  let value: unknown
  await until(async () => {
    value = await page.evaluate(expression)
    return value === expected
  }, `${expression} is ${expected}`).catch((error: unknown) => {
    assert.equal(value, expected)
    throw error
  })
}
