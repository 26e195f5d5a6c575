import type { ListedIssue } from '../../issues/lists/listed-issue.service.ts'
import type { PullMarks } from '../../pulls/merge/pull-marks.service.ts'
import { Icon } from '../ui/icon.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { Link } from '../ui/link.tsx'
import { pathOf } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { ChecksMark, ConflictMark, ReviewMark } from './pull-marks.tsx'

/** An issue or pull request of any repository on one line. */
export const IssueLine = ({
  issue,
  repo,
  owner,
  marks,
}: ListedIssue & {
  /** What stands between an open pull request and its merge. */
  readonly marks?: PullMarks | undefined
}) => {
  return (
    <li class="row issue-line">
      <IssueIcon issue={issue} class="row-icon" />
      <div class="row-main">
        <Link
          class="row-title"
          to={pathOf(owner.name, repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)}
          data-row-link=""
        >
          <TitleText text={issue.title} />
        </Link>{' '}
        {marks ? <ChecksMark checks={marks.checks} /> : null}
        <div class="row-facts">
          <Link to={pathOf(owner.name, repo.name)}>
            {owner.name}/{repo.name}
          </Link>
          <span>#{issue.index}</span>
          <Time unix={issue.updated_unix} />
          {marks ? <ReviewMark review={marks.review} /> : null}
          {marks ? <ConflictMark hasConflicts={marks.hasConflicts} /> : null}
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
