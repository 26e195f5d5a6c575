import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'
import { isDefined, openAs, skip } from './scripts.test-support.ts'

const foreign = ['palette', 'shortcuts', 'confirm-dialog', 'issuecomment-1', 'new_comment', 'timeline']
  .map((id) => `<p id="${id}">${id}</p>`)
  .join('')

test(
  'HTML of an issue takes no part of its page away: palette, shortcuts and comments are found',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['ada'] })
    const repo = await forge.given.repo({ owner: 'ada', name: 'one' })
    const ada = forge.as('ada')
    await ada.must('POST', `${repo.api}/issues`, { title: 'ids', body: `${foreign}\n\n# Install\n\n[^n]\n\n[^n]: a` })
    const { json } = await ada.must('POST', `${repo.api}/issues/1/comments`, {
      body: `${'long\n\n'.repeat(80)}# Install\n\n[^n] [own](#issuecomment-1)\n\n[^n]: b\n\n${foreign}`,
    })
    await ada.must('POST', `${repo.api}/issues/1/comments`, { body: `[up](#issuecomment-${json.id})` })
    await using it = await openAs(forge)
    const { page } = it
    await page.goto('/ada/one/issues/1')
    await isDefined(page, 'turbo-frame')
    await page.keyboard.press('?')
    await page.locator('dialog#shortcuts[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.locator('dialog#palette[open] [role=option]').first().waitFor()
    await page.keyboard.press('Escape')
    const ids = await page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert.ok(Array.isArray(ids))
    const twice = ids.filter((id, index) => ids.indexOf(id) < index)
    assert.deepEqual(twice, [])
    const topOf = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().top)
    const shows = (selector: string) =>
      until(async () => {
        const top = await topOf(selector)
        return top >= 0 && top < (page.viewportSize()?.height ?? 0)
      }, `the window shows ${selector}`)
    await page.goto(`/ada/one/issues/1#comment-${json.id}:user-content-install`)
    await shows(`[id="comment-${json.id}:user-content-install"]`)
    await page.goto('/ada/one/issues/1#install')
    await shows('#user-content-install')
    await page.getByRole('link', { name: 'own', exact: true }).click()
    await shows(`[id="comment-${json.id}:user-content-issuecomment-1"]`)
    await page.getByRole('link', { name: 'up', exact: true }).click()
    await shows(`#issuecomment-${json.id}`)
    assert.deepEqual(it.wrong, [])
  },
)
