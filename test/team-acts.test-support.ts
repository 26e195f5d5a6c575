import type { Person } from './team.test-support.ts'

/** What people of a team do in pages, with and without scripts. Each act ends when its result is seen. */

export async function createRepository(person: Person, name: string): Promise<void> {
  await person.go('/repo/create')
  await person.fill('Repository name', name)
  await person.press('Create repository')
  await person.sees(`${person.name}/${name}`)
}

/** Creates a file on the default branch, or on a new branch. @returns after the page that follows is shown */
export async function createFile(
  person: Person,
  repository: string,
  file: { readonly name: string; readonly text: string; readonly branch?: string },
): Promise<void> {
  await person.go(`/${repository}`)
  await person.open('Add file')
  await person.follow('Create a file')
  await person.sees('New file')
  await person.fill('File name', file.name)
  await person.write(file.text)
  await person.fill('Summary', `Add ${file.name}`)
  if (file.branch !== undefined) {
    await person.open('Message and branch')
    await person.page.getByLabel('A new branch').check()
    await person.fill('Name of the new branch', file.branch)
  }
  await person.press('Commit changes')
  if (file.branch === undefined) await person.hears(/on the branch main/)
  else await person.sees('Compare')
}

/** Opens a pull request on the page that compares the branches. */
export async function openPull(person: Person, title: string, description: string): Promise<void> {
  const form = person.page.locator('details.new-pull-part')
  if ((await form.getAttribute('open')) === null) await person.open('Create pull request')
  await person.fill('Title', title)
  await person.fill('Description', description)
  await person.press('Create pull request')
  await person.sees(new RegExp(title))
}

/** Proposes a change from a fork, as somebody who may only read; a writer finds it, and its author closes it. */
export async function contribute(reader: Person, writer: Person, repository: string): Promise<void> {
  await reader.signUp()
  await reader.go(`/${repository}`)
  await reader.open('Add file')
  await reader.follow('Create a file')
  await reader.sees('New file')
  await reader.fill('File name', 'bellows.txt')
  await reader.write('blow\n')
  await reader.fill('Summary', 'Add the bellows')
  await reader.press('Propose changes')
  await reader.sees('Compare')
  await reader.page.getByText('bellows.txt').first().waitFor()
  await openPull(reader, 'Add the bellows', 'They make the fire hot.')
  const address = new URL(reader.page.url()).pathname
  await reader.go(`/${reader.name}/${repository.split('/')[1]}`)
  await reader.page.getByText(`Forked from ${repository}`).first().waitFor()
  await writer.go(`/${repository}`)
  await writer.tab('Pull requests')
  await writer.follow('Add the bellows')
  await writer.page.getByText('They make the fire hot.').first().waitFor()
  await reader.go(address)
  await reader.press('Close pull request')
  await reader.page.getByText('Closed without a merge').waitFor()
}

/** Ends a review on the page of the changed files. */
export async function submitReview(person: Person, verdict: string, text: string): Promise<void> {
  await person.open(/^(Review changes|Finish review)/)
  await person.fill('Summary', text)
  await person.page.getByLabel(verdict, { exact: true }).check()
  await person.press('Submit review')
  await person.hears('The review is submitted.')
}

export async function comment(person: Person, text: string): Promise<void> {
  await person.page.locator('#new_comment').fill(text)
  await person.press('Comment')
  await person.page.locator('#timeline').getByText(text).waitFor()
}

export async function publishRelease(person: Person, repository: string, tag: string): Promise<void> {
  await person.go(`/${repository}/releases`)
  await person.follow('New release')
  await person.page.locator('#tag_name').fill(tag)
  await person.fill('Title', `Version ${tag}`)
  await person.press('Publish release')
  await person.hears('The release is published.')
}
