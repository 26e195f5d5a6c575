import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Forge } from '../src/testing/forge.ts'
import { SshFolder } from '../src/testing/ssh.ts'
import { comment, publishRelease } from './team-acts.test-support.ts'
import { pull } from './team-change.test-support.ts'
import type { Person } from './team.test-support.ts'

/** The last day of a team: what follows a merge. */

/** A comment on the merged pull request reaches its reader, who marks the notification as read with keys alone. */
export async function triage(forge: Forge, ada: Person, ben: Person): Promise<void> {
  await ada.go('/notifications')
  const row = ada.page.getByRole('link', { name: 'Hold the hammer' })
  // The page of the pull request was open until now, so nothing is new.
  assert.equal(await row.count(), 0)
  await ben.go(pull)
  await comment(ben, 'Thank you.')
  // A job writes the notification.
  await forge.settle()
  await ada.page.reload()
  await row.waitFor()
  await ada.page.keyboard.press('j')
  await ada.page.keyboard.press('x')
  await ada.page.getByRole('button', { name: 'Mark as read', exact: true }).first().click()
  await row.waitFor({ state: 'detached' })
  await ada.follow('Read')
  await row.waitFor()
}

/** Closes the milestone, whose issue the merge has closed, and publishes a release with a file. */
export async function deliver(ada: Person): Promise<void> {
  await ada.go('/ada/anvil/milestones')
  await ada.page.getByText('100% done').waitFor()
  await ada.follow('First strike')
  await ada.press('Close')
  await ada.button('Reopen').waitFor()
  await publishRelease(ada, 'ada/anvil', 'v1.0.0')
  await ada.follow('Edit')
  await ada.page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'anvil.txt', mimeType: 'text/plain', buffer: Buffer.from('iron') })
  await ada.press('Attach')
  await ada.hears('anvil.txt is attached.')
  await ada.go('/ada/anvil/releases')
  const href = await ada.page.getByRole('link', { name: 'anvil.txt' }).getAttribute('href')
  const file = await ada.context.request.get(href ?? '')
  assert.equal(await file.text(), 'iron')
}

/** Writes a page of the wiki that leads to the issue. */
export async function document(ben: Person): Promise<void> {
  await ben.go('/ada/anvil')
  await ben.tab('Wiki')
  await ben.follow('Write the first page')
  await ben.fill('Text', 'Hold it as in ada/anvil#1.')
  await ben.press('Save page')
  await ben.hears('The page is created.')
  await ben.page.locator('.markdown').getByRole('link', { name: /#1/ }).click()
  await ben.sees(/The hammer slips/)
  await ben.page.getByText('Closed', { exact: true }).first().waitFor()
}

/** A program uploads a package with the token; its page tells how to install it. */
export async function upload(forge: Forge, ben: Person, token: string): Promise<void> {
  const sent = await fetch(`${forge.url}/api/packages/ben/generic/hammer/1.0.0/hammer.txt`, {
    method: 'PUT',
    body: 'steel',
    headers: { authorization: `token ${token}` },
  })
  assert.equal(sent.status, 201)
  await ben.go('/ben')
  await ben.follow('Packages')
  await ben.follow('hammer')
  await ben.follow('1.0.0')
  await ben.page.getByText(/curl/).first().waitFor()
  await ben.page.getByRole('link', { name: 'hammer.txt' }).waitFor()
}

/** Adds a key in the settings and clones over SSH with it. */
export async function useSshKey(forge: Forge, ben: Person): Promise<void> {
  using folder = new SshFolder(forge)
  const key = await folder.newKey()
  const path = join(folder.path, 'anvil')
  assert.notEqual((await key.git('clone', '-q', key.url('ada/anvil'), path)).code, 0, 'nobody has the key')
  await ben.go('/user/settings/keys')
  await ben.page.getByLabel('Public key').first().fill(key.content)
  await ben.press('Add an SSH key')
  await ben.hears('The key key1 is added.')
  const cloned = await key.git('clone', '-q', key.url('ada/anvil'), path)
  assert.equal(cloned.code, 0, cloned.err)
}
