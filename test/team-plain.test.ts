import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip } from '../src/testing/chromium.ts'
import { startForge } from '../src/testing/forge.ts'
import {
  comment,
  createFile,
  createRepository,
  openPull,
  publishRelease,
  submitReview,
} from './team-acts.test-support.ts'
import { Person, together } from './team.test-support.ts'

/** Opens an issue and comments on it. */
async function report(person: Person): Promise<void> {
  await person.tab('Issues')
  await person.follow('New issue')
  await person.fill('Title', 'The tongs are lost')
  await person.press('Create issue')
  await person.sees(/The tongs are lost/)
  await comment(person, 'Look under the anvil.')
}

/** Changes a file of the default branch on a new branch. */
async function edit(person: Person): Promise<void> {
  await person.go('/cleo/forge/src/branch/main/tongs.txt')
  await person.follow('Edit file')
  await person.sees('Edit tongs.txt')
  await person.write('one\nTWO\nthree\n')
  await person.open('Message and branch')
  await person.page.getByLabel('A new branch').check()
  await person.fill('Name of the new branch', 'find')
  await person.press('Commit changes')
  await person.sees('Compare')
}

/** Comments on two lines of a pull request and approves it. */
async function review(person: Person): Promise<void> {
  await person.go('/cleo/forge/pulls/2')
  await person.follow(/^Files changed/)
  await person.page.locator('#diff-0-R2').hover()
  await person.page.locator('#diff-0-R2 a.plus').click()
  await person.fill('to line', '3')
  await person.page.getByRole('textbox', { name: /^Comment on tongs.txt/ }).fill('Well found.')
  await person.press('Comment now')
  await person.page.getByText('Lines 2–3', { exact: true }).waitFor()
  await person.page.getByText('Well found.').waitFor()
  await submitReview(person, 'Approve', 'Good.')
}

test('pages: without scripts, people go from a repository to its release', { skip }, async () => {
  await using forge = await startForge({ users: ['cleo', 'dan'] })
  await using cleo = await Person.at(forge, 'cleo', { scripts: false })
  await using dan = await Person.at(forge, 'dan', { scripts: false })
  await together([cleo, dan], async () => {
    await cleo.signIn()
    await dan.signIn()
    await createRepository(cleo, 'forge')
    await report(cleo)
    await createFile(cleo, 'cleo/forge', { name: 'tongs.txt', text: 'one\ntwo\nthree\n' })
    await edit(cleo)
    await openPull(cleo, 'Find the tongs', 'Closes #1')
    await review(dan)
    await cleo.go('/cleo/forge/pulls/2')
    await cleo.press('Merge')
    await cleo.hears('The pull request is merged.')
    await publishRelease(cleo, 'cleo/forge', 'v1.0.0')
    await dan.go('/cleo/forge/src/tag/v1.0.0/tongs.txt')
    await dan.page.getByText('TWO').waitFor()
    await dan.go('/cleo/forge/issues/1')
    assert.equal(await dan.page.getByText('Closed', { exact: true }).count(), 1)
  })
})
