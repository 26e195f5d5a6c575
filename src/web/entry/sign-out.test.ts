import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openContext, skip } from '../../testing/chromium.ts'
import { startForge, testPassword } from '../../testing/forge.ts'

async function signIn(page: Page): Promise<void> {
  await page.goto('/user/login')
  await page.getByLabel('Name or email address').fill('ada')
  await page.getByLabel('Password').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('.account-menu').waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.locator('.account-menu summary').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
}

const isGone = (page: Page) => page.getByRole('heading', { name: 'Page not found' }).waitFor()

for (const host of ['localhost', '127.0.0.1']) {
  test(
    `after signing out at ${host}, neither Back, nor another tab, nor a kept file shows private content`,
    { skip },
    async () => {
      await using forge = await startForge({ users: ['ada'] })
      const repo = await forge.given.repo({ owner: 'ada', name: 'hidden', private: true })
      await forge.as('ada').must('POST', `${repo.api}/issues`, { title: 'a private plan' })
      await using context = await openContext({ baseURL: forge.url.replace('localhost', host) })
      const page = await context.newPage()
      await signIn(page)
      const raw = '/ada/hidden/raw/branch/main/README.md'
      assert.equal((await page.goto(raw))?.status(), 200)
      await page.goto('/ada/hidden/issues')
      await page.getByRole('link', { name: 'a private plan' }).click()
      await page.getByRole('heading', { name: 'a private plan' }).waitFor()
      // The other tab has a page of Turbo to go back to.
      const other = await context.newPage()
      await other.goto('/ada/hidden/issues')
      await other.getByRole('link', { name: 'a private plan' }).click()
      await other.getByRole('heading', { name: 'a private plan' }).waitFor()
      // A browser draws the tab in front; clicks in another one wait for seconds.
      await page.bringToFront()
      await signOut(page)
      await isGone(other)
      await other.goBack()
      await isGone(other)
      await page.goBack()
      await isGone(page)
      await page.goBack()
      await isGone(page)
      const kept = await page.goto(raw)
      assert.equal(kept?.status(), 404)
      assert.doesNotMatch(await page.locator('main').innerText(), /# ?hidden|a private plan/)
    },
  )
}

test('a page that the browser itself kept for Back is not shown after signing out elsewhere', { skip }, async () => {
  await using forge = await startForge({ users: ['ada'] })
  await forge.given.repo({ owner: 'ada', name: 'hidden', private: true })
  await using context = await openContext({ baseURL: forge.url })
  const page = await context.newPage()
  await signIn(page)
  await page.goto('/ada/hidden')
  await page.getByRole('heading', { name: 'hidden' }).first().waitFor()
  await page.goto('data:text/html,<h1>elsewhere</h1>')
  const other = await context.newPage()
  await other.goto('/')
  await signOut(other)
  await page.bringToFront()
  await page.goBack()
  await isGone(page)
})
