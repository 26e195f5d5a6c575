import assert from 'node:assert/strict'
import { Clone } from '../src/testing/clone.ts'
import type { Forge } from '../src/testing/forge.ts'
import { commitFiles } from '../src/testing/given-pull.ts'
import type { Network } from './team-network.test-support.ts'
import type { Person } from './team.test-support.ts'

/** A contributor who may only read, and works in a fork. */

const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)
export const textOf = (changed: Readonly<Record<number, string>> = {}): string =>
  `${lines.map((line, at) => changed[at + 1] ?? line).join('\n')}\n`

/** A repository with a template of pull requests. */
export async function givenOrigin(forge: Forge): Promise<void> {
  const repo = await forge.given.repo({ owner: 'ada', name: 'anvil' })
  await commitFiles(forge, repo, 'main', {
    'hammer.txt': textOf(),
    '.forgejo/pull_request_template.md': '- [ ] I have struck it\n',
  })
}

/** A person and their network. */
export interface Contributor {
  readonly ben: Person
  readonly network: Network
}

/** Opens an issue. */
export async function reportIssue({ ben, network }: Contributor): Promise<void> {
  await ben.go('/ada/anvil/issues/new')
  await ben.fill('Title', 'The hammer slips')
  await ben.page.locator('textarea[name=content]').fill('When it is cold.')
  await network.send(
    'unanswered',
    () => ben.press('Create issue'),
    () => ben.sees(/The hammer slips/),
  )
  await ben.page.locator('#new_comment').fill('And when it is hot.')
  await network.send(
    'unanswered',
    () => ben.press('Comment'),
    () => ben.page.locator('#timeline').getByText('And when it is hot.').waitFor(),
  )
}

/** Edits a file of the origin, which makes a fork, opens the pull request with the template, and asks for a review. */
export async function propose({ ben, network }: Contributor): Promise<void> {
  await ben.go('/ada/anvil/src/branch/main/hammer.txt')
  await network.load(
    'offline',
    () => ben.follow('Edit file'),
    () => ben.sees('Edit hammer.txt'),
  )
  await ben.page.getByText('You may not write to ada/anvil').waitFor()
  await ben.write(textOf({ 3: 'line three', 25: 'line twenty-five' }))
  await ben.fill('Summary', 'Hold the hammer')
  await network.send(
    'unanswered',
    () => ben.press('Propose changes'),
    () => ben.sees('Compare'),
  )
  await ben.page.getByText('twenty-five').first().waitFor()
  const description = ben.field('Description')
  assert.match(await description.inputValue(), /I have struck it/)
  await description.fill(`It slips.\n\nCloses #1\n\n${await description.inputValue()}`)
  await ben.page.getByRole('checkbox', { name: 'ada' }).check()
  await network.send(
    'unanswered',
    () => ben.press('Create pull request'),
    () => ben.sees(/Hold the hammer/),
  )
}

/** Adds a file in the fork. */
export async function goOn({ ben, network }: Contributor): Promise<void> {
  await ben.go('/ben/anvil/src/branch/ben-patch-1')
  await ben.open('Add file')
  await ben.follow('Create a file')
  await ben.sees('New file')
  await ben.fill('File name', 'tongs.txt')
  await ben.write('grip\n')
  await ben.fill('Summary', 'Add the tongs')
  await network.send(
    'busy',
    () => ben.press('Commit changes'),
    () => ben.hears(/on the branch ben-patch-1/),
  )
}

/** Applies the suggestion of the review, answers, and pushes another commit over HTTP. */
export async function answerReview({ ben, network }: Contributor, forge: Forge): Promise<void> {
  await ben.page.getByText('Nearly there.').waitFor()
  await network.send(
    'unanswered',
    () => ben.press('Apply suggestion'),
    () => ben.hears('The suggestion is committed to the branch.'),
  )
  await ben.page.locator('#new_comment').fill('The rest comes by git.')
  await network.send(
    'busy',
    () => ben.press('Comment'),
    () => ben.page.locator('#timeline').getByText('The rest comes by git.').waitFor(),
  )
  using clone = await Clone.of(forge, 'ben', 'ben/anvil')
  await clone.must('switch', '-q', 'ben-patch-1')
  await clone.commit('tongs.txt', 'grip firmly\n', 'Grip firmly')
  await clone.must('push', '-q', 'origin', 'ben-patch-1')
}

/** Deletes the merged branch and brings the fork up to date. */
export async function tidyUp({ ben, network }: Contributor): Promise<void> {
  await ben.page.reload()
  await network.send(
    'unanswered',
    () => ben.press('Delete branch'),
    () => ben.button('Restore branch').or(ben.page.getByText('deleted the branch')).first().waitFor(),
  )
  await ben.go('/ben/anvil')
  await network.send(
    'unanswered',
    () => ben.press('Bring up to date'),
    () => ben.button('Bring up to date').waitFor({ state: 'detached' }),
  )
  await ben.page.getByRole('link', { name: 'tongs.txt' }).first().waitFor()
}
