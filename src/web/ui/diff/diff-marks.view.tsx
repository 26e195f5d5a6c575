import type { ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { Icon } from '../icon.tsx'
import type { IconName } from '../icons.ts'
import { numberText } from '../texts.tsx'
import { texts } from './texts.tsx'

/** Id of a file in the page. */
export const fileId = (file: { readonly index: number }): string => `diff-${file.index}`

/** Added and removed lines. */
export const Counts = ({ additions, deletions }: { readonly additions: number; readonly deletions: number }) => (
  <span class="diff-counts">
    {additions > 0 || deletions === 0 ? (
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

const icons: Readonly<Record<Status, IconName>> = {
  added: 'diff-added',
  deleted: 'diff-removed',
  renamed: 'diff-renamed',
  copied: 'diff-added',
  modified: 'diff-modified',
  changed: 'diff-modified',
}

/** The kind of change as an icon. */
export const StatusIcon = ({ status }: { readonly status: Status }) => (
  <span class={`diff-status ${status}`} title={texts.status[status]}>
    <Icon name={icons[status]} label={texts.status[status]} />
  </span>
)
