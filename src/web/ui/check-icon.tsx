import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

/** How the state of a check looks: its icon and the class of its colour. */
export interface CheckLook {
  readonly icon: IconName
  readonly tone: string
}

const failed: CheckLook = { icon: 'x', tone: 'danger-text' }

const looks: Readonly<Record<string, CheckLook>> = {
  success: { icon: 'check', tone: 'good-text' },
  pending: { icon: 'dot-fill', tone: 'warning-text' },
  failure: failed,
  error: failed,
  warning: { icon: 'alert', tone: 'warning-text' },
  skipped: { icon: 'skip', tone: 'muted' },
}

/** Returns the look of a state; one that is not known has a neutral one. */
export const checkLook = (state: string): CheckLook => looks[state] ?? { icon: 'circle', tone: 'muted' }

/** The state of one or more checks. @param label the state in words */
export const CheckIcon = ({ state, label }: { readonly state: string; readonly label: string }) => {
  const { icon, tone } = checkLook(state)
  return (
    <span class={`check-icon ${tone}`} title={label}>
      <Icon name={icon} label={label} />
    </span>
  )
}
