import type { IssueRow } from '../db/tables/issues.ts'
import type { EventData } from '../events/catalogue.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { PayloadPresenter, PermissionsOf } from './payload.present.ts'
import type { BuiltPayload, EventPayload, EventPayloads } from './event-payload.ts'

/** What happened to an issue or a pull request, as both are told of alike. */
export interface IssueChange {
  readonly repoId: EventData<'issue.closed'>['repoId']
  readonly issueId: IssueId
  readonly doerId: UserId
  readonly isPull: boolean
}

type Kind = '' | '_assign' | '_label' | '_milestone'

interface IssuePayload {
  readonly action: string
  /** Which events of the families `issue` and `pull_request` it is. */
  readonly kind: Kind
  /** Whose permissions are shown (observed): those of the author, of who did it, or all. */
  readonly permissionsOf: 'poster' | 'doer' | 'all'
  readonly changes?: object
  /** The commit that closes it. */
  readonly commitId?: string
}

const issueEvents: Readonly<Record<Kind, WebhookEvent>> = {
  '': 'issues',
  _assign: 'issue_assign',
  _label: 'issue_label',
  _milestone: 'issue_milestone',
}

/** Something about an issue, or about a pull request where it is one. */
export function issueChanged(change: IssueChange, said: IssuePayload): EventPayload {
  const { repoId, issueId, doerId, isPull } = change
  const { action, kind, changes, commitId = '' } = said
  return {
    event: isPull ? 'pull_request' : 'issues',
    eventType: isPull ? `pull_request${kind}` : issueEvents[kind],
    to: { repoId },
    needs: { repoIds: [repoId], issueIds: [issueId], userIds: [doerId] },
    async build(kit): Promise<BuiltPayload | undefined> {
      const row = kit.issues.get(issueId)
      if (!row) return undefined
      const shown = isPull
        ? { pull_request: await kit.pull(issueId, doerId), requested_reviewer: null }
        : { issue: await kit.issue(issueId, doerId) }
      return {
        data: {
          action,
          number: row.index,
          ...(changes ? { changes } : {}),
          ...shown,
          repository: await kit.repository(repoId, permissionsOf(said.permissionsOf, row, doerId)),
          sender: kit.person(doerId),
          commit_id: commitId,
          ...(isPull ? { review: null } : {}),
        },
      }
    },
  }
}

function permissionsOf(shows: IssuePayload['permissionsOf'], row: IssueRow, doerId: UserId): PermissionsOf {
  if (shows === 'all') return 'all'
  // Of a merge those of who made it.
  return { userId: shows === 'poster' && row.merged_unix === 0 ? row.poster_id : doerId }
}

const issueOpened = (change: IssueChange) =>
  issueChanged(change, { action: 'opened', kind: '', permissionsOf: 'poster' })

interface CommentChange extends IssueChange {
  readonly commentId: EventData<'issue.commented'>['commentId']
}

/** What of a comment that is gone is still known. */
interface DeletedComment {
  readonly content: string
  readonly posterId: UserId
  readonly createdUnix?: number | undefined
  readonly updatedUnix?: number | undefined
}

function commentChanged(change: CommentChange, action: string, changes?: object, gone?: DeletedComment): EventPayload {
  const { repoId, issueId, doerId, isPull, commentId } = change
  return {
    event: 'issue_comment',
    eventType: isPull ? 'pull_request_comment' : 'issue_comment',
    to: { repoId },
    needs: {
      repoIds: [repoId],
      issueIds: [issueId],
      userIds: gone ? [doerId, gone.posterId] : [doerId],
      commentIds: gone ? [] : [commentId],
    },
    async build(kit) {
      const comment = await commentOf(kit, change, gone)
      if (!comment) return undefined
      return {
        data: {
          action,
          issue: await kit.issue(issueId, doerId),
          ...(isPull ? { pull_request: await kit.pull(issueId, doerId) } : {}),
          comment,
          ...(changes ? { changes } : {}),
          repository: await kit.repository(repoId, { userId: doerId }),
          sender: kit.person(doerId),
          is_pull: isPull,
        },
      }
    },
  }
}

const commentOf = (kit: PayloadPresenter, { issueId, commentId }: CommentChange, gone: DeletedComment | undefined) => {
  if (gone) return kit.deletedComment(issueId, { id: commentId, ...gone })
  // Comments on lines of code are told of by their review.
  return kit.comments.get(commentId)?.type === 'comment' ? kit.comment(commentId) : undefined
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
