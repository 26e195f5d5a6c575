import type { IssueRow } from '../../db/tables/issues.ts'
import { isDraftTitle } from '../../issues/title.rules.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { usePage } from './page-context.ts'

type IconOf = Pick<IssueRow, 'is_pull' | 'is_closed' | 'merged_unix' | 'title'>

/** Returns the icon of an issue or pull request, and the class with the colour of its state. */
export function issueMark(issue: IconOf, draftPrefixes: readonly string[]): readonly [IconName, string] {
  const { is_pull: isPull, is_closed: isClosed } = issue
  if (!isPull) return isClosed ? ['issue-closed', 'done-text'] : ['issue-opened', 'good-text']
  if (issue.merged_unix > 0) return ['git-merge', 'done-text']
  if (isClosed) return ['git-pull-request-closed', 'danger-text']
  return isDraftTitle(issue.title, draftPrefixes)
    ? ['git-pull-request-draft', 'muted']
    : ['git-pull-request', 'good-text']
}

/** The icon of an issue or pull request, with the colour of its state. */
export const IssueIcon = ({ issue, class: more = '' }: { readonly issue: IconOf; readonly class?: string }) => {
  const { config } = usePage()
  const [name, tone] = issueMark(issue, config.repositoryPullRequest.workInProgressPrefixes)
  return <Icon name={name} class={`${more} ${tone}`.trim()} />
}
