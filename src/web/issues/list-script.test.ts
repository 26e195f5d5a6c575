import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { openAs, reachValue, skip } from '../shell/scripts.test-support.ts'

test(
  'repositoryIssues: the bar counts and stays in view, the place in the list stays, and the notice undoes',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    const api = forge.as('alice')
    await api.must('POST', `${repo.api}/labels`, { name: 'hot', color: '#aa0000' })
    for (let number = 1; number <= 30; number++) {
      await api.must('POST', `${repo.api}/issues`, { title: `Issue ${number}` })
    }
    await using it = await openAs(forge, 'alice')
    const { page } = it
    await page.goto(`/${repo.fullName}/issues?q=is%3Aopen`)
    const bar = page.locator('.bulk-bar')
    assert.equal(await bar.isVisible(), false)
    await page.getByLabel('Select all on this page').check()
    await reachValue(page, `document.querySelector('[data-selected]').textContent`, '20')
    await page.getByLabel('All 30 of this search').check()
    await reachValue(page, `document.querySelector('[data-selected]').textContent`, '30')
    // One that is not wanted ends the choice of all.
    await page.locator('.issue-row input').last().uncheck()
    await reachValue(page, `document.querySelector('[data-selected]').textContent`, '19')
    assert.equal(await page.getByLabel('All 30 of this search').isChecked(), false)
    await page.getByLabel('Select all on this page').check()
    await page.getByLabel('Select all on this page').uncheck()
    assert.equal(await bar.isVisible(), false)
    const last = page.locator('.issue-row').last()
    await last.scrollIntoViewIfNeeded()
    await last.locator('input').check()
    await reachValue(
      page,
      `(() => { const { top, bottom } = document.querySelector('.bulk-bar').getBoundingClientRect(); return top >= 0 && bottom < innerHeight })()`,
      true,
    )
    const place = Number(await page.evaluate('scrollY'))
    assert.ok(place > 100)
    await bar.getByText('Add label').click()
    await bar.getByRole('button', { name: 'hot' }).click()
    await page.getByText('1 issue changed.').waitFor()
    await reachValue(page, `Math.abs(scrollY - ${place}) < 150`, true)
    assert.equal(await page.locator('.issue-row .label').count(), 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await reachValue(page, `document.querySelectorAll('.issue-row .label').length === 0`, true)
    assert.deepEqual(it.wrong, [])
  },
)

test(
  'repositoryIssues: on a phone, the acts for selected rows are one menu in a line, which an act closes',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    const api = forge.as('alice')
    await api.must('POST', `${repo.api}/labels`, { name: 'hot', color: '#aa0000' })
    await api.must('POST', `${repo.api}/issues`, { title: 'First' })
    await using it = await openAs(forge, 'alice')
    const { page } = it
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/${repo.fullName}/issues`)
    await page.locator('.issue-row input').check()
    const bar = page.locator('.bulk-bar')
    assert.ok(((await bar.boundingBox())?.height ?? 0) <= 48)
    assert.equal(await bar.getByText('Add label').isVisible(), false)
    await bar.getByText('Change', { exact: true }).click()
    await bar.getByText('Add label').click()
    await bar.getByRole('button', { name: 'hot' }).click()
    await page.locator('.issue-row .label').waitFor()
    assert.equal(await page.locator('details.menu[open]').count(), 0)
    assert.deepEqual(it.wrong, [])
  },
)
