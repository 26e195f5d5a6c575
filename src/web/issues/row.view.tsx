import { usualQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { AroundIssues } from '../../issues/issue.store.ts'
import type { PullMarks } from '../../pulls/merge/pull-marks.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { Icon } from '../ui/icon.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { LabelTag } from '../ui/label.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Avatar, Person } from '../ui/person.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { dateText, Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { ChecksMark, ConflictMark, ReviewMark } from '../lists/pull-marks.tsx'
import { listText } from '../languages/amounts.ts'
import { issueTexts as texts, uiTexts } from '../languages/texts.ts'

const mostAvatars = 3

/** The numbers of done and of all tasks in a Markdown text. */
export function tasksIn(text: string): { readonly done: number; readonly total: number } {
  const boxes = text.match(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\]\s/gm) ?? []
  return { done: boxes.filter((box) => /\[[xX]\]/.test(box)).length, total: boxes.length }
}

/** What rows of pull requests show of checks and reviews. */
export type RowMarks = ReadonlyMap<IssueRow['id'], PullMarks>

const noMarks: RowMarks = new Map()

/** An issue or pull request in a list. */
export const IssueListRow = ({
  row,
  repository,
  around,
  marks = noMarks,
  isSelectable = false,
  withRepository = false,
}: {
  readonly row: IssueRow
  readonly repository: RepoWithOwner
  readonly around: AroundIssues
  readonly marks?: RowMarks
  /** The row has a checkbox `issue`. */
  readonly isSelectable?: boolean
  readonly withRepository?: boolean
}) => {
  const { nowUnix } = usePage()
  const kind = row.is_pull ? 'pulls' : 'issues'
  const at = (...parts: readonly (string | number)[]) => pathOf(repository.owner.name, repository.repo.name, ...parts)
  const to = at(kind, row.index)
  const poster = around.users.get(row.poster_id)
  const milestone = row.milestone_id === null ? undefined : around.milestones.get(row.milestone_id)
  const mark = marks.get(row.id)
  const tasks = tasksIn(row.content)
  const assignees = (around.assignees.get(row.id) ?? []).flatMap((id) => around.users.get(id) ?? [])
  const isOverdue = !row.is_closed && row.due_unix > 0 && row.due_unix < nowUnix
  return (
    <li class="row issue-row">
      {isSelectable ? (
        <input type="checkbox" name="issue" value={row.index} aria-label={texts.select(row.index)} />
      ) : null}
      <IssueIcon issue={row} />
      <div class="row-main">
        <Link class="row-title" to={to} data-row-link="">
          <TitleText text={row.title} />
        </Link>
        {mark ? <ChecksMark checks={mark.checks} /> : null}{' '}
        {row.is_locked ? (
          <>
            <Icon name="lock" class="muted" label={texts.locked} />{' '}
          </>
        ) : null}
        {(around.labels.get(row.id) ?? []).map((label) => (
          <>
            <LabelTag
              label={label}
              to={withQuery(at(kind), { q: writeIssueQuery({ ...usualQuery, labels: [label.name] }) })}
            />{' '}
          </>
        ))}
        <div class="row-facts">
          <span>
            {withRepository ? `${repository.owner.name}/${repository.repo.name}` : ''}#{row.index}{' '}
            {texts.openedBy(
              <Time unix={row.created_unix} />,
              row.original_author !== '' ? (
                row.original_author
              ) : poster ? (
                <Person person={poster} withPicture={false} />
              ) : (
                uiTexts.ghost
              ),
            )}
          </span>
          {mark ? <ReviewMark review={mark.review} /> : null}
          {mark ? <ConflictMark hasConflicts={mark.hasConflicts} /> : null}
          {milestone ? (
            <Link to={at('milestone', milestone.id)}>
              <Icon name="milestone" />
              {milestone.title}
            </Link>
          ) : null}
          {tasks.total > 0 ? (
            <span>
              <Icon name="tasklist" />
              {texts.tasks(tasks.done, tasks.total)}
            </span>
          ) : null}
          {row.due_unix > 0 ? (
            <span class={isOverdue ? 'danger-text' : undefined}>
              <Icon name="calendar" />
              {isOverdue ? texts.overdue(dateText(row.due_unix)) : texts.due(dateText(row.due_unix))}
            </span>
          ) : null}
        </div>
      </div>
      <div class="row-side">
        {assignees.length === 0 ? null : (
          <span class="avatars" title={listText(assignees.map(({ name }) => name))}>
            {assignees.slice(0, mostAvatars).map((person) => (
              <Avatar person={person} size={20} />
            ))}
          </span>
        )}
        {row.num_comments > 0 ? (
          <Link class="comment-count" to={to} aria-label={texts.comments(row.num_comments)}>
            <Icon name="comment" /> {row.num_comments}
          </Link>
        ) : (
          <span class="comment-count" />
        )}
      </div>
    </li>
  )
}
