import { createFile, createRepository } from './team-acts.test-support.ts'
import type { Person } from './team.test-support.ts'

/** The first day of a team: a repository with its people, labels, milestone, issue form, rules and first issue. */

const issueForm = `name: Bug
about: Something is wrong
labels: [bug]
body:
  - type: input
    id: version
    attributes:
      label: Version
    validations:
      required: true
  - type: textarea
    id: steps
    attributes:
      label: Steps
`

/** The administrator of the repository prepares it and lets a colleague in. */
export async function prepare(ada: Person): Promise<void> {
  await createRepository(ada, 'anvil')
  await ada.tab('Settings')
  await ada.follow('People and teams')
  await ada.fill('Name or email address', 'ben')
  await ada.press('Add collaborator')
  await ada.hears('The access of ben is saved.')
  await ada.tab('Issues')
  await ada.follow('Labels')
  await ada.open('New label')
  await ada.fill('Name', 'bug')
  await ada.press('Create label')
  await ada.hears('The label bug is created.')
  await ada.go('/ada/anvil/milestones')
  await ada.follow('New milestone')
  await ada.fill('Title', 'First strike')
  await ada.press('Create milestone')
  await ada.hears('The milestone First strike is created.')
  await createFile(ada, 'ada/anvil', { name: '.forgejo/ISSUE_TEMPLATE/bug.yml', text: issueForm })
}

/** Merges into the default branch need a passed check and an approval. */
export async function protect(ada: Person): Promise<void> {
  await ada.tab('Settings')
  await ada.follow('Branches')
  await ada.follow('New rule')
  await ada.fill('Required approvals', '1')
  await ada.page.getByLabel('Requested changes block the merge').check()
  await ada.page.getByLabel('Checks must pass').check()
  await ada.page.getByLabel('The rule holds for administrators too').check()
  await ada.press('Save')
  await ada.hears('The settings are saved.')
}

/** A colleague answers the questions of the form; the administrator finds the issue among the notifications. */
export async function report(ada: Person, ben: Person): Promise<void> {
  await ben.go('/ada/anvil')
  await ben.tab('Issues')
  await ben.follow('New issue')
  await ben.sees('Choose a form')
  await ben.follow('Start: Bug')
  await ben.fill('Title', 'The hammer slips')
  await ben.fill('Version', '0.9')
  await ben.fill('Steps', 'Strike twice.')
  await ben.field('Milestone').selectOption('First strike')
  await ben.press('Create issue')
  await ben.sees(/The hammer slips/)
  await ben.page.getByText('Strike twice.').waitFor()
  await ben.page.getByRole('complementary').getByRole('link', { name: 'bug' }).waitFor()
  await ada.go('/notifications')
  await ada.follow('The hammer slips')
  await ada.sees(/The hammer slips/)
  await ben.page.locator('#new_comment').fill('It also slips when cold.')
  await ben.press('Comment')
  // The page of the other person shows it without a reload.
  await ada.page.getByText('It also slips when cold.').waitFor()
}
