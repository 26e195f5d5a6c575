import type { PullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { CheckIcon } from '../ui/check-icon.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { pullMarkTexts as texts } from '../languages/texts.ts'

/** The checks of a pull request as an icon; nothing without checks. */
export const ChecksMark = ({ checks }: Pick<PullMarks, 'checks'>) =>
  checks === undefined ? null : <CheckIcon state={checks.state} label={texts.checks(checks.passed, checks.total)} />

const reviewLooks: Readonly<
  Record<NonNullable<PullMarks['review']>, { readonly icon: IconName; readonly tone: string | undefined }>
> = {
  rejected: { icon: 'file-diff', tone: 'danger-text' },
  required: { icon: 'eye', tone: undefined },
  approved: { icon: 'check', tone: 'good-text' },
  asked: { icon: 'eye', tone: undefined },
}

/** Says that the head conflicts with the base; nothing otherwise. */
export const ConflictMark = ({ hasConflicts }: Pick<PullMarks, 'hasConflicts'>) =>
  hasConflicts ? (
    <span class="danger-text">
      <Icon name="alert" />
      {texts.conflicts}
    </span>
  ) : null

/** What reviews say about a pull request, in words; nothing when nobody was asked. */
export const ReviewMark = ({ review }: Pick<PullMarks, 'review'>) => {
  if (review === undefined) return null
  const { icon, tone } = reviewLooks[review]
  return (
    <span class={tone}>
      <Icon name={icon} />
      {texts.reviews[review]}
    </span>
  )
}
