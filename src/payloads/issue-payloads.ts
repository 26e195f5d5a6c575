import type { IssueRow } from '../db/tables/issues.ts'
import type { EventData } from '../events/catalogue.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { PayloadPresenter, PermissionsOf } from './payload.present.ts'
import type { BuiltPayload, EventPayload, EventPayloads } from './event-payload.ts'

/** A change of an issue or a pull request. */
export interface IssueChange {
  readonly repoId: EventData<'issue.closed'>['repoId']
  readonly issueId: IssueId
  readonly doerId: UserId
  readonly isPull: boolean
}

type Kind = '' | '_assign' | '_label' | '_milestone'

interface IssuePayloadOptions {
  readonly action: string
  /** The end of the event's name, after `issue` or `pull_request`. */
  readonly kind: Kind
  /** Whose permissions the payload shows: those of the author, of the acting user, or all (observed). */
  readonly permissionsOf: 'poster' | 'doer' | 'all'
  readonly changes?: object
  /** The commit that closed it. */
  readonly commitId?: string
}

const issueEvents: Readonly<Record<Kind, WebhookEvent>> = {
  '': 'issues',
  _assign: 'issue_assign',
  _label: 'issue_label',
  _milestone: 'issue_milestone',
}

/** Returns the payload of a change of an issue or a pull request. */
export function issueChanged(change: IssueChange, options: IssuePayloadOptions): EventPayload {
  const { repoId, issueId, doerId, isPull } = change
  const { action, kind, changes, commitId = '' } = options
  return {
    event: isPull ? 'pull_request' : 'issues',
    eventType: isPull ? `pull_request${kind}` : issueEvents[kind],
    to: { repoId },
    needs: { repoIds: [repoId], issueIds: [issueId], userIds: [doerId] },
    async build(presenter): Promise<BuiltPayload | undefined> {
      const row = presenter.issues.get(issueId)
      if (!row) return undefined
      const shown = isPull
        ? { pull_request: await presenter.pull(issueId, doerId), requested_reviewer: null }
        : { issue: await presenter.issue(issueId, doerId) }
      return {
        data: {
          action,
          number: row.index,
          ...(changes ? { changes } : {}),
          ...shown,
          repository: await presenter.repository(repoId, permissionsOf(options.permissionsOf, row, doerId)),
          sender: presenter.person(doerId),
          commit_id: commitId,
          ...(isPull ? { review: null } : {}),
        },
      }
    },
  }
}

function permissionsOf(shows: IssuePayloadOptions['permissionsOf'], row: IssueRow, doerId: UserId): PermissionsOf {
  if (shows === 'all') return 'all'
  // A merge shows the permissions of the user who merged.
  return { userId: shows === 'poster' && row.merged_unix === 0 ? row.poster_id : doerId }
}

const issueOpened = (change: IssueChange) =>
  issueChanged(change, { action: 'opened', kind: '', permissionsOf: 'poster' })

interface CommentChange extends IssueChange {
  readonly commentId: EventData<'issue.commented'>['commentId']
}

/** What the event knows of a deleted comment. */
interface DeletedComment {
  readonly content: string
  readonly posterId: UserId
  readonly createdUnix?: number | undefined
  readonly updatedUnix?: number | undefined
}

function commentChanged(
  change: CommentChange,
  action: string,
  changes?: object,
  deleted?: DeletedComment,
): EventPayload {
  const { repoId, issueId, doerId, isPull, commentId } = change
  return {
    event: 'issue_comment',
    eventType: isPull ? 'pull_request_comment' : 'issue_comment',
    to: { repoId },
    needs: {
      repoIds: [repoId],
      issueIds: [issueId],
      userIds: deleted ? [doerId, deleted.posterId] : [doerId],
      commentIds: deleted ? [] : [commentId],
    },
    async build(presenter) {
      const comment = await commentOf(presenter, change, deleted)
      if (!comment) return undefined
      return {
        data: {
          action,
          issue: await presenter.issue(issueId, doerId),
          ...(isPull ? { pull_request: await presenter.pull(issueId, doerId) } : {}),
          comment,
          ...(changes ? { changes } : {}),
          repository: await presenter.repository(repoId, { userId: doerId }),
          sender: presenter.person(doerId),
          is_pull: isPull,
        },
      }
    },
  }
}

const commentOf = (
  presenter: PayloadPresenter,
  { issueId, commentId }: CommentChange,
  deleted: DeletedComment | undefined,
) => {
  if (deleted) return presenter.deletedComment(issueId, { id: commentId, ...deleted })
  // Comments on lines of code belong to the payload of their review.
  return presenter.comments.get(commentId)?.type === 'comment' ? presenter.comment(commentId) : undefined
}

export const issuePayloads: EventPayloads = {
  'issue.opened': ({ data }) => (data.isPull ? [] : [issueOpened(data)]),
  'pull.opened': ({ data }) => [issueOpened({ ...data, isPull: true })],
  'issue.closed': ({ data }) => [
    issueChanged(data, {
      action: 'closed',
      kind: '',
      permissionsOf: 'poster',
      ...(data.commit ? { commitId: data.commit } : {}),
    }),
  ],
  'issue.reopened': ({ data }) => [issueChanged(data, { action: 'reopened', kind: '', permissionsOf: 'poster' })],
  'issue.edited': ({ data }) => {
    const edits: [string, string | undefined][] = [
      ['title', data.oldTitle],
      ['body', data.oldContent],
    ]
    if (data.relates) return [issueChanged(data, { action: 'edited', kind: '', permissionsOf: 'poster', changes: {} })]
    return edits.flatMap(([name, from]) =>
      from === undefined
        ? []
        : [issueChanged(data, { action: 'edited', kind: '', permissionsOf: 'poster', changes: { [name]: { from } } })],
    )
  },
  'pull.retargeted': ({ data }) => [
    issueChanged(
      { ...data, isPull: true },
      { action: 'edited', kind: '', permissionsOf: 'poster', changes: { ref: { from: data.oldBase } } },
    ),
  ],
  'issue.assigned': ({ data }) => [
    issueChanged(data, { action: data.removed ? 'unassigned' : 'assigned', kind: '_assign', permissionsOf: 'doer' }),
  ],
  'issue.labelled': ({ data }) => [
    issueChanged(data, {
      action: data.cleared ? 'label_cleared' : 'label_updated',
      kind: '_label',
      permissionsOf: data.isPull && !data.cleared ? 'all' : 'poster',
    }),
  ],
  'issue.milestoned': ({ data }) => [
    issueChanged(data, {
      action: data.milestoneId === 0 ? 'demilestoned' : 'milestoned',
      kind: '_milestone',
      permissionsOf: 'doer',
    }),
  ],
  'issue.commented': ({ data }) => [commentChanged(data, 'created')],
  'comment.edited': ({ data }) => [commentChanged(data, 'edited', { body: { from: data.oldContent } })],
  'comment.deleted': ({ data }) => [commentChanged(data, 'deleted', undefined, data)],
}
