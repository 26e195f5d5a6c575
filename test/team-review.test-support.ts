import { reachValue } from '../src/web/shell/scripts.test-support.ts'
import type { Keys } from './team-keys.test-support.ts'
import type { Network } from './team-network.test-support.ts'

/** A maintainer without a pointer. */
export interface Maintainer {
  readonly keys: Keys
  readonly network: Network
}

/** Where the focus is: the id of a line, the file of a head, or the element. */
const place = `(() => {
  const element = document.activeElement
  const row = element.closest('.diff-table tr')
  if (row) return row.id || element.closest('td').id || element.closest('td').previousElementSibling.id
  if (element.matches('.diff-file summary')) return element.closest('turbo-frame').id
  return element.matches('.thread') ? element.ariaLabel : element.localName
})()`
const isInField = `document.activeElement.localName === 'textarea'`

/** Opens the notification of a pull request from the page of all of them. */
async function openNotification({ keys }: Maintainer, title: string): Promise<void> {
  const { page } = keys.person
  await keys.press('g', 'n')
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
  await keys.until(
    'j',
    `document.activeElement.matches('a') && document.activeElement.textContent.includes(${JSON.stringify(title)})`,
  )
  await keys.press('Enter')
}

/** Goes through the files, comments, suggests, and asks for changes. */
export async function review(maintainer: Maintainer, forge: { settle(): Promise<unknown> }): Promise<void> {
  const { keys, network } = maintainer
  const { person } = keys
  const { page } = person
  const reach = (expected: string) => reachValue(page, place, expected)
  await forge.settle()
  await person.go('/')
  await openNotification(maintainer, 'Hold the hammer')
  await page.getByText('It slips.').waitFor()
  await person.go('/ada/anvil/pulls/2')
  await network.load(
    'unsent',
    () => keys.follow(/^Files changed/),
    () => page.locator('[data-change-keys]').waitFor({ state: 'attached' }),
  )
  await keys.until('n', `document.activeElement.matches('.diff-file summary')`)
  await reach('diff-0')
  await keys.press('n')
  await reach('diff-1')
  await keys.press('p')
  await reach('diff-0')
  await keys.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await keys.press('Escape')

  // A comment on the second change, and a suggestion for the first one.
  await keys.press('j', 'j')
  await reach('diff-0-L25')
  await keys.press('ArrowDown')
  await reach('diff-0-R25')
  await network.load(
    'unsent',
    () => keys.press('c'),
    () => reachValue(page, isInField, true),
  )
  await keys.type('Why in words?')
  await network.send(
    'unsent',
    () => keys.press('Control+Enter'),
    () => page.locator('#diff-0 .thread', { hasText: 'Why in words?' }).waitFor(),
  )
  await reach('diff-0-R25')
  await keys.press('k', 'k')
  await keys.press('ArrowDown')
  await reach('diff-0-R3')
  await keys.press('s')
  await reachValue(page, isInField, true)
  await keys.type('line 3, held')
  await network.send(
    'unanswered',
    () => keys.press('Control+Enter'),
    () => page.locator('#diff-0 .thread', { hasText: 'line 3, held' }).waitFor(),
  )
  await keys.press(']')
  await reach('Comment on hammer.txt, line 3')
  await keys.press(']')
  await reach('Comment on hammer.txt, line 25')
  await keys.press('[')
  await reach('Comment on hammer.txt, line 3')
  await keys.press('n')
  await reach('diff-1')
  await network.send(
    'busy',
    () => keys.press('v'),
    () => page.locator('#diff-1 .viewed-button[aria-pressed=true]').waitFor(),
  )
  await submit(maintainer, { verdict: 'Ask for changes', text: 'Nearly there.', fault: 'unanswered' })
  // The page follows the pull request, and would mark what comes as read.
  await keys.press('g', 'h')
  await person.sees('Home')
}

/** Ends a review: `a` opens its menu. */
async function submit(
  { keys, network }: Maintainer,
  { verdict, text, fault }: { verdict: string; text: string; fault: 'unanswered' | 'offline' },
): Promise<void> {
  const { page } = keys.person
  await keys.press('a')
  await reachValue(page, isInField, true)
  await keys.type(text)
  await keys.tabTo(/^Comment/)
  await keys.until('ArrowDown', `document.activeElement.labels?.[0]?.innerText.startsWith(${JSON.stringify(verdict)})`)
  await network.send(
    fault,
    () => keys.press('Control+Enter'),
    () => keys.person.hears('The review is submitted.'),
  )
}

/** Opens what changed since the review from the notification, approves it, and merges. */
export async function reviewAgainAndMerge(
  maintainer: Maintainer,
  forge: { settle(): Promise<unknown> },
): Promise<void> {
  const { keys, network } = maintainer
  const { page } = keys.person
  await forge.settle()
  await openNotification(maintainer, 'Hold the hammer')
  await page.getByText('grip firmly').first().waitFor()
  await submit(maintainer, { verdict: 'Approve', text: 'Well held.', fault: 'offline' })
  await keys.follow(/^Conversation/)
  await page.getByText('This pull request can be merged.').waitFor()
  await network.send(
    'unanswered',
    () => keys.follow('Merge'),
    () => keys.person.hears('The pull request is merged.'),
  )
}
