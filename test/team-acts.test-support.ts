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
    await person.page.getByLabel('A new branch').check()
    await person.fill('Name of the new branch', file.branch)
  }
  await person.press('Commit changes')
  if (file.branch === undefined) await person.hears(/on the branch main/)
  else await person.sees('Compare')
}

/** Opens a pull request on the page that compares the branches. */
export async function openPull(person: Person, title: string, description: string): Promise<void> {
  await person.open('Create pull request')
  await person.fill('Title', title)
  await person.fill('Description', description)
  await person.press('Create pull request')
  await person.sees(new RegExp(title))
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
