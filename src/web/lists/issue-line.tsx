import type { ListedIssue } from '../../issues/lists/listed-issue.service.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { Link } from '../ui/link.tsx'
import { pathOf } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'

/** Returns the icon and colour of the state of an issue or pull request. */
export const issueMark = ({
  is_pull: isPull,
  is_closed: isClosed,
  merged_unix: mergedUnix,
}: Pick<ListedIssue['issue'], 'is_pull' | 'is_closed' | 'merged_unix'>): {
  readonly icon: IconName
  readonly tone: string
} => {
  if (!isPull) {
    return isClosed ? { icon: 'issue-closed', tone: 'done-text' } : { icon: 'issue-opened', tone: 'good-text' }
  }
  if (mergedUnix > 0) return { icon: 'git-merge', tone: 'done-text' }
  return isClosed
    ? { icon: 'git-pull-request-closed', tone: 'danger-text' }
    : { icon: 'git-pull-request', tone: 'good-text' }
}

/** An issue or pull request of any repository on one line. */
export const IssueLine = ({ issue, repo, owner }: ListedIssue) => {
  const { icon, tone } = issueMark(issue)
  return (
    <li class="row issue-line">
      <Icon name={icon} class={`row-icon ${tone}`} />
      <div class="row-main">
        <Link
          class="row-title"
          to={pathOf(owner.name, repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)}
          data-row-link=""
        >
          {issue.title}
        </Link>
        <div class="row-facts">
          <Link to={pathOf(owner.name, repo.name)}>
            {owner.name}/{repo.name}
          </Link>
          <span>#{issue.index}</span>
          <Time unix={issue.updated_unix} />
        </div>
      </div>
      {issue.num_comments > 0 ? (
        <span class="row-side">
          <Icon name="comment" />
          {issue.num_comments}
        </span>
      ) : null}
    </li>
  )
}
