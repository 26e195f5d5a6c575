import { uiTexts } from '../languages/texts.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { wordTable } from '../../lib/word-table.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { actionsUserId } from '../../lib/ids.ts'
import { inReadersWords } from '../languages/refusals.ts'

/** How the state of a check looks: its icon and the class of its colour. */
export interface CheckLook {
  readonly icon: IconName
  readonly tone: string
}

const failed: CheckLook = { icon: 'x', tone: 'danger-text' }

const looks = wordTable<CheckLook>({
  success: { icon: 'check', tone: 'good-text' },
  pending: { icon: 'dot-fill', tone: 'warning-text' },
  failure: failed,
  error: failed,
  warning: { icon: 'alert', tone: 'warning-text' },
  cancelled: { icon: 'stop', tone: 'muted' },
  skipped: { icon: 'skip', tone: 'muted' },
})

/** Returns the look of a state; one that is not known has a neutral one. */
export const checkLook = (state: string): CheckLook => looks[state] ?? { icon: 'circle', tone: 'muted' }

const { checkStates } = uiTexts

/** Returns a state in words; one that is not known is its own name. */
const stateText = (state: string): string =>
  Object.hasOwn(checkStates, state) ? checkStates[state as keyof typeof checkStates] : state

/** The state of one or more checks. @param label what it says in words; the default is the state */
export const CheckIcon = ({ state, label = stateText(state) }: { readonly state: string; readonly label?: string }) => {
  const { icon, tone } = checkLook(state)
  return (
    <span class={`check-icon ${tone}`} title={label}>
      <Icon name={icon} label={label} />
    </span>
  )
}

/** Returns the description of a check: what the server wrote about a job, in the language of the reader; the words of others as they are. */
export const descriptionOfCheck = ({
  creator_id,
  description,
}: Pick<CommitStatusRow, 'creator_id' | 'description'>): string =>
  creator_id === actionsUserId ? inReadersWords(description) : description
