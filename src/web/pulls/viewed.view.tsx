import type { ViewedProgress } from '../../pulls/reviews/viewed.service.ts'
import { ActButton } from '../ui/button.tsx'
import { pathField } from '../ui/path-field.ts'
import { pullTexts as texts } from '../languages/texts.ts'

interface ViewedButtonProps {
  readonly to: string
  readonly path: string
  /** The blob that the button marks as viewed. */
  readonly content: string
  /** Position of the file in the whole list, from 0. */
  readonly at: string
  readonly isViewed: boolean
  /** Choices of the page, which it has again without scripts. */
  readonly style: string | undefined
  readonly whitespace: string | undefined
}

/** Id of what scripts replace when a file was marked. */
export const viewedId = (at: string): string => `viewed-${at}`
export const progressId = 'viewed-progress'

/** Marks a file as viewed, or takes the mark back. */
export const ViewedButton = ({ to, isViewed, ...file }: ViewedButtonProps) => {
  const label = isViewed ? texts.markUnviewed(file.path) : texts.markViewed(file.path)
  return (
    <span id={viewedId(file.at)}>
      <ActButton
        to={to}
        hidden={{ ...file, path: pathField(file.path), viewed: !isViewed }}
        kind="quiet"
        class="small viewed-button"
        aria-label={label}
        aria-pressed={isViewed ? 'true' : 'false'}
        title={label}
      >
        {texts.viewed}
      </ActButton>
    </span>
  )
}

/** How many files the viewer has viewed. */
export const Progress = ({ viewed, total }: ViewedProgress) => (
  <span class="muted small" id={progressId}>
    {texts.progress(viewed, total)}
  </span>
)
