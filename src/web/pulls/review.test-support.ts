import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Browser } from '../../testing/browser.ts'
import type { Forge } from '../../testing/forge.ts'
import { collaborator, commitFiles } from '../../testing/given-pull.ts'
import { until } from '../../testing/until.ts'
import { openPage } from '../shell/scripts.test-support.ts'

const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)
const textOf = (all: readonly string[]) => `${all.join('\n')}\n`

/** A pull request of alice with two changes in a file and a new file, which has an open conversation. */
export async function givenChanges(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await collaborator(forge, repo, 'bob')
  await commitFiles(forge, repo, 'main', { 'first.txt': textOf(lines) })
  const changed = lines.map((line, at) => (at === 2 || at === 24 ? `${line} changed` : line))
  await commitFiles(forge, repo, 'topic', { 'first.txt': textOf(changed), 'second.txt': textOf(['one', 'two']) })
  const { json } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Two files' })
  const api = `${repo.api}/pulls/${json.number}`
  const comments = [{ path: 'second.txt', new_position: 1, body: 'Why one?' }]
  await forge.as('alice').must('POST', `${api}/reviews`, { event: 'COMMENT', body: '', comments })
  return {
    repo,
    api,
    at: `/${repo.fullName}/pulls/${json.number}`,
    files: `/${repo.fullName}/pulls/${json.number}/files`,
  }
}

/** A page in a browser with the sign-in of an account. */
export async function openAs(forge: Forge, name: string) {
  const person = await Browser.of(forge, name)
  const it = await openPage(forge, '')
  const cookies = person
    .cookieHeader()
    .split('; ')
    .map((each) => {
      const at = each.indexOf('=')
      return { name: each.slice(0, at), value: each.slice(at + 1), url: forge.url }
    })
  await it.page.context().addCookies(cookies)
  return it
}

/** Waits until an expression has a value; the policy of pages forbids Playwright to evaluate one by itself. */
export async function reachValue(page: Page, expression: string, expected: string): Promise<void> {
  let value: unknown
  await until(async () => {
    value = await page.evaluate(expression)
    return value === expected
  }, `${expression} is ${expected}`).catch((error: unknown) => {
    assert.equal(value, expected)
    throw error
  })
}
