import { usualQuery, writeIssueQuery } from '../../../issues/search/query.parse.ts'
import type { ComponentChild, VNode } from 'preact'
import { relationWords } from '../../../issues/relations/relation-word.ts'
import type { NamedIssue, TimelineEntry } from '../../../issues/timeline/timeline-view.service.ts'
import { readPushEntry, replacedHead } from '../../../pulls/push-entry.rules.ts'
import { parseTime } from '../../../lib/time.ts'
import type { IconName } from '../../ui/icons.ts'
import { IssueIcon } from '../../ui/issue-icon.tsx'
import { LabelTag } from '../../ui/label.tsx'
import { Link } from '../../ui/link.tsx'
import type { Tone } from '../../ui/parts.tsx'
import { Person } from '../../ui/person.tsx'
import { pathOf } from '../../ui/paths.ts'
import { dateText, durationText } from '../../ui/time.tsx'
import { TitleText } from '../../ui/title-text.tsx'
import { timelineTexts as texts } from '../../languages/texts.ts'
import { TimelineEvent } from './timeline.view.tsx'

/** Names of the repository whose timeline is shown. */
export interface EventRepository {
  readonly owner: string
  readonly name: string
}

interface Shown {
  readonly icon: IconName
  readonly tone?: Tone
  readonly text: ComponentChild
  readonly detail?: ComponentChild
}

/** Changes of labels or assignees by one person within this time are one line. */
const togetherSeconds = 60

/** Whether both entries assign other people, or both take them off. What people do to themselves is a sentence of its own. */
const isSameAct = (a: TimelineEntry['row'], b: TimelineEntry['row']): boolean =>
  [a, b].every((row) => row.assignee_id !== row.poster_id) && a.removed_assignee === b.removed_assignee

/**
 * Groups what one person did at once: changes of labels or of assignees follow each other in one group, and each other
 * entry is a group of its own.
 */
export function groupEntries(entries: readonly TimelineEntry[]): readonly (readonly TimelineEntry[])[] {
  const groups: TimelineEntry[][] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    const first = group?.[0]?.row
    const { row } = entry
    const belongs =
      first !== undefined &&
      first.type === row.type &&
      (row.type === 'label' || (row.type === 'assignees' && isSameAct(first, row))) &&
      first.poster_id === row.poster_id &&
      row.created_unix - first.created_unix <= togetherSeconds
    if (belongs) group?.push(entry)
    else groups.push([entry])
  }
  return groups
}

/** Returns the address of an issue or pull request. */
export const issuePath = ({ issue, repo: repository }: NamedIssue): string =>
  pathOf(repository.owner.name, repository.repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)

/** A link to another issue or pull request, with its repository when it is another one. */
export const IssueLink = ({ named, from }: { readonly named: NamedIssue; readonly from: EventRepository }) => {
  const { issue, repo: repository } = named
  const isHere = repository.owner.name === from.owner && repository.repo.name === from.name
  return (
    <Link to={issuePath(named)} class="issue-link">
      <IssueIcon issue={issue} />
      <span>
        <TitleText text={issue.title} />
      </span>{' '}
      <span class="muted">{`${isHere ? '' : `${repository.owner.name}/${repository.repo.name}`}#${issue.index}`}</span>
    </Link>
  )
}

/** What the address of an entry ends with in the API. */
const anchorOf = ({ row }: TimelineEntry): string => `issuecomment-${row.id}`

/** A line for an event. Nothing for an entry whose rows do not exist any more, or that is no event. */
export const EventEntry = ({
  group,
  repository,
  pushesTo,
}: {
  readonly group: readonly TimelineEntry[]
  readonly repository: EventRepository
  /** Address below which the comparisons of forced pushes are. */
  readonly pushesTo?: string
}): VNode | null => {
  const [entry] = group
  const shown = entry && describe(entry, group, repository, pushesTo)
  if (!entry || !shown) return null
  return (
    <TimelineEvent
      id={anchorOf(entry)}
      icon={shown.icon}
      {...(shown.tone ? { tone: shown.tone } : {})}
      actor={entry.poster}
      actorName={entry.row.original_author}
      unix={entry.row.created_unix}
      {...(shown.detail === undefined ? {} : { detail: shown.detail })}
    >
      {shown.text}
      {group.slice(1).map((other) => (
        <span id={anchorOf(other)} />
      ))}
    </TimelineEvent>
  )
}

function describe(
  entry: TimelineEntry,
  group: readonly TimelineEntry[],
  repository: EventRepository,
  pushesTo: string | undefined,
): Shown | undefined {
  const { row, milestone, oldMilestone, time } = entry
  const milestoneLink = (of: typeof milestone) =>
    of ? (
      <Link to={pathOf(repository.owner, repository.name, 'milestone', of.id)}>{of.title}</Link>
    ) : (
      texts.deletedMilestone
    )
  switch (row.type) {
    case 'close':
      return { icon: 'issue-closed', tone: 'done', text: texts.closed }
    case 'reopen':
      return { icon: 'issue-opened', tone: 'good', text: texts.reopened }
    case 'merge_pull':
      return { icon: 'git-merge', tone: 'done', text: texts.merged }
    case 'label':
      return { icon: 'tag', text: labelText(group, repository) }
    case 'milestone':
      return {
        icon: 'milestone',
        text:
          row.milestone_id === null ? (
            <>
              {texts.leftMilestone}
              {milestoneLink(oldMilestone)}
            </>
          ) : (
            <>
              {row.old_milestone_id === null
                ? texts.setMilestone
                : texts.movedMilestone(oldMilestone?.title ?? texts.deletedMilestone)}
              {milestoneLink(milestone)}
            </>
          ),
      }
    case 'assignees':
      return { icon: 'person', text: assigneeText(group) }
    case 'change_title':
      return {
        icon: 'pencil',
        text: texts.renamed,
        detail: (
          <>
            <del>{row.old_title}</del> <strong>{row.new_title}</strong>
          </>
        ),
      }
    case 'change_issue_ref':
      return { icon: 'git-branch', text: texts.branch(row.old_ref, row.new_ref) }
    case 'change_target_branch':
      return { icon: 'git-branch', text: texts.targetBranch(row.old_ref, row.new_ref) }
    case 'delete_branch':
      return { icon: 'git-branch', text: texts.deletedBranch(row.old_ref) }
    case 'added_deadline':
      return { icon: 'calendar', text: texts.dueAdded(dayText(row.content)) }
    case 'modified_deadline': {
      const [day = '', old = ''] = row.content.split('|')
      return { icon: 'calendar', text: texts.dueChanged(dayText(day), dayText(old)) }
    }
    case 'removed_deadline':
      return { icon: 'calendar', text: texts.dueRemoved(dayText(row.content)) }
    case 'add_dependency':
    case 'remove_dependency':
      return entry.dependency
        ? {
            icon: 'link',
            text: row.type === 'add_dependency' ? texts.dependsOn : texts.dependencyGone,
            detail: <IssueLink named={entry.dependency} from={repository} />,
          }
        : undefined
    case 'add_relation':
    case 'remove_relation': {
      const word = relationWords.find((each) => each === row.content)
      return entry.dependency && word
        ? {
            icon: 'link',
            text: texts.relations[row.type === 'add_relation' ? 'added' : 'removed'][word],
            detail: <IssueLink named={entry.dependency} from={repository} />,
          }
        : undefined
    }
    case 'start_tracking':
      return { icon: 'stopwatch', text: texts.startedWatch }
    case 'stop_tracking':
      return { icon: 'stopwatch', text: texts.stoppedWatch(time ? durationText(time.seconds) : row.content) }
    case 'add_time_manual':
      return { icon: 'clock', text: texts.addedTime(time ? durationText(time.seconds) : row.content) }
    case 'cancel_tracking':
      return { icon: 'stopwatch', text: texts.cancelledWatch }
    case 'delete_time_manual':
      return { icon: 'clock', text: texts.deletedTime(row.content) }
    case 'lock':
      return { icon: 'lock', text: row.content === '' ? texts.locked : texts.lockedBecause(row.content) }
    case 'unlock':
      return { icon: 'unlock', text: texts.unlocked }
    case 'pin':
      return { icon: 'pin', text: texts.pinned }
    case 'unpin':
      return { icon: 'pin-slash', text: texts.unpinned }
    case 'issue_ref':
    case 'pull_ref':
    case 'comment_ref':
      return entry.other && row.ref_action !== 'neutered'
        ? {
            icon: 'cross-reference',
            text: row.ref_action === 'closes' ? texts.willClose : texts.mentioned,
            detail: <IssueLink named={entry.other} from={repository} />,
          }
        : undefined
    case 'commit_ref':
      return { icon: 'git-commit', text: commitText(entry, repository) }
    case 'pull_push':
      return pushText(row, repository, pushesTo)
    case 'review_request':
      return { icon: 'eye', text: requestText(entry) }
    case 'pull_scheduled_merge':
      return { icon: 'clock', text: texts.scheduled }
    case 'pull_cancel_scheduled_merge':
      return { icon: 'clock', text: texts.unscheduled }
    case 'dismiss_review':
      return { icon: 'x', text: texts.dismissed }
    case 'comment':
    case 'code':
    case 'review':
    case 'project':
    case 'project_board':
      return undefined
  }
}

function labelText(group: readonly TimelineEntry[], repository: EventRepository): ComponentChild {
  const part = (isSet: boolean) => {
    const some = group.filter(({ row }) => (row.content === '1') === isSet)
    return some.length === 0 ? [] : [{ isSet, some }]
  }
  return [...part(true), ...part(false)].map(({ isSet, some }) => (
    <>
      {isSet ? texts.added : texts.removed}{' '}
      {some.map(({ label }) =>
        label ? (
          <>
            <LabelTag
              label={label}
              to={`${pathOf(repository.owner, repository.name, 'issues')}?q=${encodeURIComponent(writeIssueQuery({ ...usualQuery, labels: [label.name] }))}`}
            />{' '}
          </>
        ) : (
          `${texts.deletedLabel} `
        ),
      )}
    </>
  ))
}

function assigneeText(group: readonly TimelineEntry[]): ComponentChild {
  const row = group[0]?.row
  if (row?.assignee_id === row?.poster_id) return row?.removed_assignee ? texts.leftSelf : texts.assignedSelf
  return (
    <>
      {row?.removed_assignee ? texts.unassigned : texts.assigned}{' '}
      {group.map(({ assignee, team }, index) => (
        <>
          {index === 0 ? '' : index === group.length - 1 ? texts.and : ', '}
          {assignee ? <Person person={assignee} withPicture={false} isBrief /> : (team?.name ?? texts.ghost)}
        </>
      ))}
    </>
  )
}

/** Returns a stored day such as `2026-11-28` as people read it. */
function dayText(day: string): string {
  const unix = parseTime(`${day}T00:00:00Z`)
  return unix === undefined ? day : dateText(unix)
}

function requestText({ row, assignee, team }: TimelineEntry): ComponentChild {
  if (row.removed_assignee && row.assignee_id === row.poster_id) return texts.refused
  return (
    <>
      {row.removed_assignee ? texts.requestGone : texts.requested}
      {assignee ? <Person person={assignee} withPicture={false} isBrief /> : (team?.name ?? texts.ghost)}
    </>
  )
}

const shortSha = 10

function commitText({ row }: TimelineEntry, repository: EventRepository): ComponentChild {
  return (
    <>
      {row.ref_action === 'closes' ? texts.closedBy : texts.commit}
      <Link to={pathOf(repository.owner, repository.name, 'commit', row.commit_sha)}>
        <code>{row.commit_sha.slice(0, shortSha)}</code>
      </Link>
    </>
  )
}

/** A forced push names the heads, and leads to the comparison of their commits. */
function pushText({ id, content }: TimelineEntry['row'], repository: EventRepository, pushesTo?: string): Shown {
  const push = readPushEntry(content)
  const replaced = replacedHead(push)
  if (replaced === undefined) {
    return { icon: 'repo-push', text: push.isForced ? texts.forcePushed : texts.pushed(push.commits.length) }
  }
  const commit = (oid: string) => (
    <Link to={pathOf(repository.owner, repository.name, 'commit', oid)}>
      <code>{oid.slice(0, shortSha)}</code>
    </Link>
  )
  return {
    icon: 'repo-push',
    text: (
      <>
        {texts.forcePushedFrom(commit(replaced.old), commit(replaced.new))}
        {pushesTo === undefined ? null : (
          <>
            {' · '}
            <Link to={`${pushesTo}/${id}`}>{texts.comparePush}</Link>{' '}
          </>
        )}
      </>
    ),
  }
}
