import type { IssueRow } from '../../db/tables/issues.ts'
import type { EventData } from '../../events/catalogue.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'
import type { HookEvent } from '../hook.rules.ts'
import type { PayloadKit, PermissionsOf } from './payload-kit.present.ts'
import type { MadePayload, Telling, Tellings } from './telling.ts'

/** What happened to an issue or a pull request, as both are told of alike. */
export interface IssueChange {
  readonly repoId: EventData<'issue.closed'>['repoId']
  readonly issueId: IssueId
  readonly doerId: UserId
  readonly isPull: boolean
}

type Kind = '' | '_assign' | '_label' | '_milestone'

interface Said {
  readonly action: string
  /** Which events of the families `issue` and `pull_request` it is. */
  readonly kind: Kind
  /** Whose permissions are shown (observed): those of the author, of who did it, or all. */
  readonly shows: 'poster' | 'doer' | 'all'
  readonly changes?: object
  /** The commit that closes it. */
  readonly commitId?: string
}

const issueEvents: Readonly<Record<Kind, HookEvent>> = {
  '': 'issues',
  _assign: 'issue_assign',
  _label: 'issue_label',
  _milestone: 'issue_milestone',
}

/** Something about an issue, or about a pull request where it is one. */
export function changed(change: IssueChange, said: Said): Telling {
  const { repoId, issueId, doerId, isPull } = change
  const { action, kind, changes, commitId = '' } = said
  return {
    event: isPull ? 'pull_request' : 'issues',
    eventType: isPull ? `pull_request${kind}` : issueEvents[kind],
    to: { repoId },
    needs: { repoIds: [repoId], issueIds: [issueId], userIds: [doerId] },
    async make(kit): Promise<MadePayload | undefined> {
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
          repository: await kit.repository(repoId, permissionsOf(said.shows, row, doerId)),
          sender: kit.person(doerId),
          commit_id: commitId,
          ...(isPull ? { review: null } : {}),
        },
      }
    },
  }
}

function permissionsOf(shows: Said['shows'], row: IssueRow, doerId: UserId): PermissionsOf {
  if (shows === 'all') return 'all'
  // Of a merge those of who made it.
  return { userId: shows === 'poster' && row.merged_unix === 0 ? row.poster_id : doerId }
}

const opened = (change: IssueChange) => changed(change, { action: 'opened', kind: '', shows: 'poster' })

interface CommentChange extends IssueChange {
  readonly commentId: EventData<'issue.commented'>['commentId']
}

/** What of a comment that is gone is still known. */
interface GoneComment {
  readonly content: string
  readonly posterId: UserId
  readonly createdUnix?: number | undefined
  readonly updatedUnix?: number | undefined
}

function commented(change: CommentChange, action: string, changes?: object, gone?: GoneComment): Telling {
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
    async make(kit) {
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

const commentOf = (kit: PayloadKit, { issueId, commentId }: CommentChange, gone: GoneComment | undefined) => {
  if (gone) return kit.goneComment(issueId, { id: commentId, ...gone })
  // Comments on lines of code are told of by their review.
  return kit.comments.get(commentId)?.type === 'comment' ? kit.comment(commentId) : undefined
}

export const issueTellings: Tellings = {
  'issue.opened': ({ data }) => (data.isPull ? [] : [opened(data)]),
  'pull.opened': ({ data }) => [opened({ ...data, isPull: true })],
  'issue.closed': ({ data }) => [
    changed(data, { action: 'closed', kind: '', shows: 'poster', ...(data.commit ? { commitId: data.commit } : {}) }),
  ],
  'issue.reopened': ({ data }) => [changed(data, { action: 'reopened', kind: '', shows: 'poster' })],
  'issue.edited': ({ data }) => {
    const edits: [string, string | undefined][] = [
      ['title', data.oldTitle],
      ['body', data.oldContent],
    ]
    return edits.flatMap(([name, from]) =>
      from === undefined
        ? []
        : [changed(data, { action: 'edited', kind: '', shows: 'poster', changes: { [name]: { from } } })],
    )
  },
  'pull.retargeted': ({ data }) => [
    changed(
      { ...data, isPull: true },
      { action: 'edited', kind: '', shows: 'poster', changes: { ref: { from: data.oldBase } } },
    ),
  ],
  'issue.assigned': ({ data }) => [
    changed(data, { action: data.removed ? 'unassigned' : 'assigned', kind: '_assign', shows: 'doer' }),
  ],
  'issue.labelled': ({ data }) => [
    changed(data, {
      action: data.cleared ? 'label_cleared' : 'label_updated',
      kind: '_label',
      shows: data.isPull && !data.cleared ? 'all' : 'poster',
    }),
  ],
  'issue.milestoned': ({ data }) => [
    changed(data, {
      action: data.milestoneId === 0 ? 'demilestoned' : 'milestoned',
      kind: '_milestone',
      shows: 'doer',
    }),
  ],
  'issue.commented': ({ data }) => [commented(data, 'created')],
  'comment.edited': ({ data }) => [commented(data, 'edited', { body: { from: data.oldContent } })],
  'comment.deleted': ({ data }) => [commented(data, 'deleted', undefined, data)],
}
