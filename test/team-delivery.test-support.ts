import { reachValue } from '../src/web/shell/scripts.test-support.ts'
import type { Contributor } from './team-fork.test-support.ts'
import type { Maintainer } from './team-review.test-support.ts'

/** What follows a merge, by keyboard: a plan on a board, a release, the wiki, another repository and its fork. */

const isField = (label: string) => `document.activeElement.labels?.[0]?.innerText.startsWith(${JSON.stringify(label)})`

/** Opens an issue and a milestone, and puts one into the other on a board. */
export async function plan({ keys, network }: Maintainer): Promise<void> {
  const { person } = keys
  const { page } = person
  const send = () => keys.press('Control+Enter')
  await person.go('/ada/anvil/milestones')
  await keys.lead('c', isField('Title'))
  await keys.type('First strike')
  await network.send('unanswered', send, () => person.hears('The milestone First strike is created.'))
  await person.go('/ada/anvil/issues/new')
  await keys.tabTo('Title')
  await keys.type('Sharpen the chisel')
  await keys.tabTo('Description')
  await keys.type('It is blunt.')
  await network.send('slow', send, () => person.sees(/Sharpen the chisel/))
  await person.go('/ada/anvil/projects')
  await keys.lead('c', isField('Title'))
  await keys.type('Plan')
  await keys.tabTo('Columns')
  await keys.type('Milestone')
  await keys.tabTo(/^Order of the columns/)
  await network.send('unanswered', send, () => person.sees(/Plan/))

  const columns = (title: string) => page.locator('.board-column', { hasText: title })
  const card = page.getByRole('link', { name: 'Sharpen the chisel' })
  await columns('No milestone').getByText('Sharpen the chisel').waitFor()
  await keys.tabTo('Sharpen the chisel')
  if (network.isFailing) {
    await person.context.setOffline(true)
    await keys.until('Shift+ArrowRight', `document.querySelector('[data-board-problem]').hidden === false`)
    await columns('No milestone').locator('.board-card', { has: card }).waitFor()
    await person.context.setOffline(false)
    await reachValue(page, `document.activeElement.textContent`, 'Sharpen the chisel')
    await keys.press('Shift+ArrowRight')
  } else {
    await keys.until('Shift+ArrowRight', `document.querySelector('[data-board-status]').textContent !== ''`)
  }
  await columns('First strike').locator('.board-card:not([aria-busy])', { has: card }).waitFor()
  await reachValue(page, `document.querySelector('[data-board-problem]').hidden`, true)
}

/** Publishes a release and writes a page of the wiki. */
export async function deliver({ keys, network }: Maintainer): Promise<void> {
  const { person } = keys
  const { page } = person
  const send = () => keys.press('Control+Enter')
  await person.go('/ada/anvil/releases')
  await keys.follow('New release')
  await person.sees('New release')
  await keys.tabTo(/^Tag/)
  await keys.type('v1.0.0')
  await keys.tabTo(/^Title/)
  await keys.type('The first strike')
  await keys.tabTo(/^Notes/)
  await keys.type('It holds.')
  await network.send('unanswered', send, () => person.hears('The release is published.'))
  await page.getByRole('heading', { name: 'The first strike' }).waitFor()
  await keys.press('g', 'w')
  await keys.follow('Write the first page')
  await person.sees('New page')
  await keys.tabTo(/^Text/)
  await keys.type('Hold it as in #1.')
  await network.send('unanswered', send, () => person.hears('The page is created.'))
}

/** Creates another repository, which the contributor forks. */
export async function goFurther({ keys, network }: Maintainer, contributor: Contributor): Promise<void> {
  const { person } = keys
  await person.go('/repo/create')
  await keys.tabTo('Repository name')
  await keys.type('bellows')
  await network.send(
    'unanswered',
    () => keys.press('Enter'),
    () => person.page.waitForURL('**/ada/bellows'),
  )
  await keys.press('g', 'h')
  await person.sees('Home')
  const { ben } = contributor
  await ben.go('/ada/anvil/issues/3')
  await ben.go('/ada/bellows/fork')
  await contributor.network.send(
    'unanswered',
    () => ben.press('Create fork'),
    () => ben.page.waitForURL('**/ben/bellows'),
  )
}
