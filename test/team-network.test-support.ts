import assert from 'node:assert/strict'
import type { Route } from 'playwright-core'
import { reachValue } from '../src/web/shell/scripts.test-support.ts'
import type { Person } from './team.test-support.ts'

/**
 * How a request fails: it does not reach the server, its answer is lost after the server has acted, the server is busy, the machine
 * has no network. `slow`: it does not fail, and is sent a second time while it runs.
 */
export type Fault = 'unsent' | 'unanswered' | 'busy' | 'offline' | 'slow'

/** What browsers and Turbo say of them. */
export const networkErrors = /net::ERR_|Failed to fetch|NetworkError|status of 503|^503 /

/** What somebody has typed, and can see. */
const typed = `JSON.stringify([...document.querySelectorAll('main textarea, main input:not([type=hidden], [type=search]), main .cm-content')]
  .filter((each) => each.checkVisibility())
  .map((each) => each.type === 'checkbox' || each.type === 'radio' ? each.checked : each.value ?? each.textContent))`

const isOnNotice = (name: string) => `document.activeElement?.closest('[data-${name}]') !== null`

/** A fault of the requests with a method. */
interface Failing {
  readonly fault: Fault
  readonly method: string
}

/** The network of a person, which may fail once for each thing that they do. */
export class Network {
  #failing: Failing | undefined

  private constructor(
    readonly person: Person,
    readonly isFailing: boolean,
  ) {}

  static async of(person: Person, isFailing: boolean): Promise<Network> {
    const network = new Network(person, isFailing)
    if (isFailing) await person.page.route('**', (route) => network.#answer(route))
    return network
  }

  /** Sends a form; a failing network loses it once in this way, and it is sent again by the button of the notice. */
  async send(fault: Fault, begin: () => Promise<unknown>, ended: () => Promise<unknown>): Promise<void> {
    const { page } = this.person
    if (!this.isFailing) {
      await begin()
    } else if (fault === 'slow') {
      await this.#slowly(async () => {
        await begin()
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'attached' })
        await page.keyboard.press('Control+Enter')
        await ended()
      })
    } else {
      const before = await page.evaluate<string>(typed)
      await this.#fail({ fault, method: 'POST' }, async () => {
        await begin()
        await page.locator('[data-unsent]').waitFor()
        await reachValue(page, isOnNotice('unsent'), true)
      })
      assert.equal(await page.evaluate(typed), before, 'what was typed is still there')
      await page.keyboard.press('Enter')
    }
    await ended()
  }

  /** Loads a page or a part of it; a failing network loses it once, and it is asked for again, or comes with the network. */
  async load(fault: 'unsent' | 'offline', begin: () => Promise<unknown>, ended: () => Promise<unknown>): Promise<void> {
    const { page } = this.person
    if (!this.isFailing) await begin()
    else {
      const before = await page.evaluate<string>(typed)
      const { length } = await page.evaluate<string>('document.body.innerText')
      await this.#fail({ fault, method: 'GET' }, async () => {
        await begin()
        await page.locator('[data-unanswered]').waitFor()
        await reachValue(page, isOnNotice('unanswered'), true)
        assert.equal(await page.evaluate(typed), before, 'what was typed is still there')
        assert.ok((await page.evaluate<string>('document.body.innerText')).length >= length, 'the page is still there')
      })
      if (fault !== 'offline') await page.keyboard.press('Enter')
    }
    await ended()
  }

  async #fail(failing: Failing, act: () => Promise<void>): Promise<void> {
    const { context } = this.person
    if (failing.fault === 'offline') await context.setOffline(true)
    else this.#failing = failing
    await act()
    if (failing.fault === 'offline') await context.setOffline(false)
    this.#failing = undefined
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request()
    const failing = request.method() === this.#failing?.method ? this.#failing : undefined
    if (failing === undefined || request.headers()['accept'] === 'text/event-stream') return route.continue()
    if (failing.fault === 'busy') return route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Busy</h1>' })
    if (failing.fault === 'unanswered') await route.fetch({ maxRedirects: 0 })
    await route.abort('connectionreset')
  }

  async #slowly(act: () => Promise<void>): Promise<void> {
    const { page, context } = this.person
    const browser = await context.newCDPSession(page)
    const conditions = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
    await browser.send('Network.enable')
    await browser.send('Network.emulateNetworkConditions', { ...conditions, latency: 300 })
    await act()
    await browser.send('Network.emulateNetworkConditions', { ...conditions, latency: 0 })
    await browser.detach()
  }
}
