import assert from 'node:assert/strict'
import { testPassword } from '../src/testing/forge.ts'
import { reachValue } from '../src/web/shell/scripts.test-support.ts'
import type { Person } from './team.test-support.ts'

/** The name or text of the focused element. */
const focused = `(() => {
  const element = document.activeElement
  const names = [element.ariaLabel, element.labels?.[0]?.innerText, element.innerText, element.value, element.title]
  return names.find((each) => each)?.replace(/\\s+/g, ' ').trim() ?? ''
})()`

/** Most presses of the Tab key on the way to something. */
const farthest = 150

/** The keyboard of a person who has no pointer: an event of one is an error. */
export class Keys {
  private constructor(readonly person: Person) {}

  static async of(person: Person): Promise<Keys> {
    await person.page.addInitScript(`
      for (const type of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'touchstart', 'wheel']) {
        addEventListener(type, (event) => console.error('there is no pointer: ' + event.type), true)
      }`)
    return new Keys(person)
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.person.page.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    await this.person.page.keyboard.type(text)
  }

  /** Presses the Tab key until something with this name has the focus. */
  async tabTo(name: string | RegExp, key = 'Tab'): Promise<void> {
    const { page } = this.person
    const passed: string[] = []
    while (passed.length < farthest) {
      const now = await page.evaluate<string>(focused)
      if (typeof name === 'string' ? now === name || now === `${name} optional` : name.test(now)) return
      passed.push(now)
      await page.keyboard.press(key)
    }
    assert.fail(`the Tab key does not reach ${String(name)}: ${passed.join(' | ')}`)
  }

  async follow(name: string | RegExp): Promise<void> {
    await this.tabTo(name)
    await this.press('Enter')
  }

  /** Presses a key of the page, whose scripts may be loaded late, until an expression about the page is true. */
  async until(key: string, expression: string): Promise<void> {
    const { page } = this.person
    for (let left = 100; left > 0 && (await page.evaluate(expression)) !== true; left--) {
      await page.keyboard.press(key)
      await page.waitForTimeout(30)
    }
    await reachValue(page, expression, true)
  }

  /** Presses a key that leads to a form, once the scripts hear it: on the form it would be a letter of a text. */
  async lead(key: string, expression: string): Promise<void> {
    const { page } = this.person
    // Undefined on another page.
    const isIgnored = () => page.evaluate(`globalThis.lastKey?.defaultPrevented === false`)
    do {
      await page.evaluate(`addEventListener('keydown', (event) => { globalThis.lastKey = event }, { once: true })`)
      await page.keyboard.press(key)
    } while (await isIgnored().catch(() => false))
    await reachValue(page, expression, true)
  }

  async signIn(): Promise<void> {
    const { person } = this
    await person.go('/user/login')
    await this.tabTo('Name or email address')
    await this.type(person.name)
    await this.tabTo('Password')
    await this.type(testPassword)
    await this.press('Enter')
    await person.page.locator('.account-menu strong', { hasText: person.name }).waitFor({ state: 'attached' })
  }
}
