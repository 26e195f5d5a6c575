import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Clone } from '../src/testing/clone.ts'
import type { Forge } from '../src/testing/forge.ts'
import { startForgeRunner } from '../src/testing/runner.ts'
import { submitReview } from './team-acts.test-support.ts'
import type { Person } from './team.test-support.ts'

/** A change from its review to its merge. */

/** The file that the change adds. */
export const hammer = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', ''].join('\n')

export const pull = '/ada/anvil/pulls/2'

/** A check that waits until it is let through, so that its log is surely watched while it runs. */
export class Gate implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ingot-gate-'))
  readonly #file = join(this.#folder, 'open')
  readonly workflow = `on: pull_request
jobs:
  strike:
    runs-on: ubuntu-latest
    steps:
      - name: Strike the anvil
        run: |
          echo "the hammer is raised"
          while [ ! -e '${this.#file}' ]; do sleep 0.05; done
          echo "the hammer has fallen"
`

  open(): void {
    writeFileSync(this.#file, '')
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Marks lines of the first file by dragging over their numbers and begins a comment on them. */
async function beginComment(person: Person, first: number, last: number): Promise<void> {
  const { page } = person
  const number = (line: number) => page.locator(`#diff-0-R${line} a[data-line]`)
  await number(first).hover()
  await page.mouse.down()
  await number(last).hover()
  await page.mouse.up()
  assert.equal(new URL(page.url()).hash, `#diff-0-R${first}-R${last}`)
  assert.equal(await page.locator('.is-marked').count(), last - first + 1)
  await page.locator(`#diff-0-R${last}`).hover()
  await page.locator(`#diff-0-R${last} a.plus`).click()
}

/** The reviewer suggests other lines; the author sees the review without a reload and applies it. */
export async function review(ada: Person, ben: Person): Promise<void> {
  await ada.go(`${pull}/files`)
  await beginComment(ada, 2, 4)
  const text = ada.page.getByRole('textbox', { name: 'Comment on hammer.txt, lines 2–4' })
  await text.fill('Grip it:\n```suggestion\ntwo\nTHREE\nfour\n```')
  await ada.press('Start a review')
  await ada.page.getByText('Grip it:').waitFor()
  await submitReview(ada, 'Ask for changes', 'One more thing.')
  await ben.page.getByText('One more thing.').waitFor()
  await ben.press('Apply suggestion')
  await ben.hears('The suggestion is committed to the branch.')
  await ben.follow('firm')
  await ben.follow('hammer.txt')
  await ben.page.getByText('THREE').waitFor()
}

/** Creates a token for git and packages. */
export async function createToken(person: Person): Promise<string> {
  await person.go('/user/settings/applications')
  await person.fill('Name', 'laptop')
  await person.field('Repositories').selectOption('Read and write')
  await person.field('Packages').selectOption('Read and write')
  await person.press('Create the token')
  return person.page.getByRole('textbox', { name: 'Access token' }).inputValue()
}

/** The author makes one commit of the two and pushes by force over HTTP with the token. */
export async function rewrite(forge: Forge, token: string): Promise<void> {
  const url = new URL(`${forge.url}/ada/anvil.git`)
  url.username = 'ben'
  url.password = token
  using clone = await Clone.begin('ben')
  await clone.must('remote', 'add', 'origin', url.href)
  await clone.must('fetch', '-q', 'origin')
  await clone.must('switch', '-q', 'firm')
  await clone.must('reset', '-q', '--soft', 'origin/main')
  await clone.commit('hammer.txt', hammer.replace('three', 'THREE').replace('ten', 'leather'), 'Add hammer.txt')
  await clone.must('push', '-q', '--force', 'origin', 'firm')
}

/** The reviewer compares the new commit with the one of the review. */
export async function seeRewrite(ada: Person): Promise<void> {
  await ada.go(`${pull}/files`)
  await ada.follow('Changes since my last review')
  await ada.page.getByRole('heading', { name: 'The commits were rewritten' }).waitFor()
  await ada.page.locator('.rewrite').getByText('Changed', { exact: true }).waitFor()
  await ada.page.getByRole('article', { name: 'hammer.txt' }).getByText('leather').waitFor()
  await submitReview(ada, 'Approve', 'Now it holds.')
}

/** The check runs and is watched, and the merge waits for it. */
export async function mergeAfterCheck(forge: Forge, ada: Person, gate: Gate): Promise<void> {
  await ada.go('/ada/anvil/settings')
  await ada.follow('Runners')
  await ada.press('Make a registration token')
  const command = await ada.page.getByRole('status').locator('pre').innerText()
  const runner = await startForgeRunner(forge.url, /--token (\S+)/.exec(command)?.[1] ?? '', {})
  try {
    await ada.go(pull)
    const box = ada.page.getByRole('region', { name: 'Merge' })
    await box.getByRole('heading', { name: /has not reported yet|is not finished/ }).waitFor()
    await box.getByRole('link', { name: 'Details' }).click()
    await ada.page.getByText('the hammer is raised', { exact: true }).waitFor()
    assert.equal(await ada.page.getByText('the hammer has fallen', { exact: true }).count(), 0)
    gate.open()
    await ada.page.getByText('the hammer has fallen', { exact: true }).waitFor()
    await ada.page.locator('#run-head').getByTitle('Succeeded').waitFor()
  } finally {
    await runner.stop()
  }
  await ada.go(pull)
  await ada.page.getByText('This pull request can be merged.').waitFor()
  await ada.page.getByLabel('Delete the branch firm afterwards').check()
  await ada.press('Merge')
  await ada.hears('The pull request is merged.')
}
