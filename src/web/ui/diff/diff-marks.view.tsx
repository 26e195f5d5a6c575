import type { ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { numberText } from '../../languages/amounts.ts'
import { diffTexts as texts } from '../../languages/texts.ts'

/** Id of a file in the page. */
export const fileId = (file: { readonly index: number }): string => `diff-${file.index}`

/** Added and removed lines; nothing without any. */
export const Counts = ({ additions, deletions }: { readonly additions: number; readonly deletions: number }) =>
  additions + deletions === 0 ? null : (
    <span class="diff-counts">
      {additions > 0 ? (
        <span class="good-text" title={texts.additions(additions)}>
          +{numberText(additions)}
        </span>
      ) : null}
      {deletions > 0 ? (
        <span class="danger-text" title={texts.deletions(deletions)}>
          −{numberText(deletions)}
        </span>
      ) : null}
    </span>
  )

type Status = ShownFile['change']['status']

/** The kind of change as an icon, drawn by the style sheet: a difference has hundreds, and browsers take long for a sprite. */
export const StatusIcon = ({ status }: { readonly status: Status }) => (
  <span
    class={`shape diff-status ${status}`}
    title={texts.status[status]}
    role="img"
    aria-label={texts.status[status]}
  />
)

/** Shows whether a file or folder is folded. */
export const Fold = () => <span class="shape fold" />
