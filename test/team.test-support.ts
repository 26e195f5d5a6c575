import assert from 'node:assert/strict'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { openContext } from '../src/testing/chromium.ts'
import { testPassword, type Forge } from '../src/testing/forge.ts'

/** A person of a team with a browser of their own, whose every error is collected. */
export class Person implements AsyncDisposable {
  readonly wrong: string[] = []

  private constructor(
    readonly name: string,
    readonly scripts: boolean,
    readonly context: BrowserContext,
    readonly page: Page,
    expected: RegExp | undefined,
  ) {
    const tell = (what: string) => {
      if (!expected?.test(what)) this.wrong.push(`${page.url()}: ${what}`)
    }
    page.on('pageerror', (error) => tell(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') tell(message.text())
    })
    page.on('response', (reply) => {
      if (reply.status() >= 400) tell(`${reply.status()} ${reply.request().method()} ${reply.url()}`)
    })
  }

  /** @param expected errors that the test makes itself */
  static async at(
    forge: Forge,
    name: string,
    { scripts = true, expected }: { readonly scripts?: boolean; readonly expected?: RegExp | undefined } = {},
  ): Promise<Person> {
    const context = await openContext({
      baseURL: forge.url,
      javaScriptEnabled: scripts,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 1000 },
    })
    return new Person(name, scripts, context, await context.newPage(), expected)
  }

  /** Opens a page by its address; the first one of a walk, or one that has no link yet. */
  async go(path: string): Promise<void> {
    await this.page.goto(path)
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  async press(name: string | RegExp): Promise<void> {
    await this.button(name).click()
  }

  async follow(name: string | RegExp): Promise<void> {
    await this.page.getByRole('link', { name, exact: true }).first().click()
  }

  /** Opens a tab of the repository whose page is shown. */
  async tab(name: string): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name }).click()
  }

  /** The field with this label, which may say that the field is optional. */
  field(label: string): Locator {
    return this.page.getByLabel(new RegExp(`^${label.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}( optional)?$`))
  }

  async fill(label: string, text: string): Promise<void> {
    await this.field(label).fill(text)
  }

  /** Opens a menu, or a form that is folded. */
  async open(summary: string | RegExp): Promise<void> {
    await this.page.locator('summary').filter({ hasText: summary }).click()
  }

  /** Writes the text of a file, into the editor when there is one. */
  async write(text: string): Promise<void> {
    const { scripts, page } = this
    await (scripts ? page.locator('.code-editor .cm-content') : page.getByLabel('Content')).fill(text)
  }

  /** Waits for the page with this heading. */
  async sees(heading: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  }

  /** Waits for the sentence after an act. */
  async hears(notice: string | RegExp): Promise<void> {
    await this.page.getByRole('status').filter({ hasText: notice }).first().waitFor()
  }

  async #isIn(): Promise<void> {
    await this.page.locator('.account-menu strong', { hasText: this.name }).waitFor({ state: 'attached' })
  }

  async signUp(): Promise<void> {
    await this.go('/')
    await this.follow('Create an account')
    await this.sees(/^Sign up at/)
    await this.fill('Name', this.name)
    await this.fill('Email address', `${this.name}@example.com`)
    await this.fill('Password', testPassword)
    await this.press('Sign up')
    await this.#isIn()
  }

  async signIn(): Promise<void> {
    await this.go('/user/login')
    await this.fill('Name or email address', this.name)
    await this.fill('Password', testPassword)
    await this.press('Sign in')
    await this.#isIn()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close()
  }
}

/** Lets people act; a failure tells on which page each of them was, and a success that no browser met an error. */
export async function together(people: readonly Person[], act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const paths = await Promise.all(
      people.map(async ({ name, page, wrong }) => {
        const text = await page.locator('main').innerText({ timeout: 1000 }).catch(String)
        return `${name} at ${page.url()}: ${wrong.join('; ')}\n${text.slice(0, 1500)}`
      }),
    )
    throw new Error(`${Error.isError(error) ? error.message : String(error)}\n${paths.join('\n\n')}`, { cause: error })
  }
  assert.deepEqual(
    people.flatMap(({ wrong }) => wrong),
    [],
  )
}
