import type { Tx } from '../db/database.ts'
import type { Event } from '../events/catalogue.ts'
import { insertActs, isMergedPull, type NewAct } from './act.store.ts'

/** Events that contain all data of their act. Pushes need git, so a job records them. */
export const actEvents = [
  'repo.created',
  'repo.renamed',
  'repo.transferred',
  'issue.opened',
  'issue.closed',
  'issue.reopened',
  'issue.commented',
  'pull.merged',
  'pull.readied',
  'review.submitted',
  'review.dismissed',
  'release.published',
] as const

type ActEvent = Event<(typeof actEvents)[number]>

/** Inserts the acts of an event in the transaction of the change. */
export async function recordAct(tx: Tx, event: ActEvent): Promise<void> {
  const { doerId, repoId } = event.data
  if (event.name === 'issue.closed' && event.data.isPull && (await isMergedPull(tx, event.data.issueId))) return
  await insertActs(tx, { doerId, repoId, atUnix: Math.floor(event.atMs / 1000) }, [actOf(event)])
}

function actOf(event: ActEvent): NewAct {
  switch (event.name) {
    case 'repo.created':
      return { kind: 'create_repo', unit: '' }
    case 'repo.renamed':
      return { kind: 'rename_repo', unit: '', content: event.data.oldName }
    case 'repo.transferred':
      return { kind: 'transfer_repo', unit: '', content: `${event.data.oldOwnerName}/${event.data.oldName}` }
    case 'issue.opened': {
      const { issueId, isPull } = event.data
      return isPull
        ? { kind: 'create_pull_request', unit: 'pulls', issueId }
        : { kind: 'create_issue', unit: 'issues', issueId }
    }
    case 'issue.closed': {
      const { issueId, isPull } = event.data
      const about = { issueId, comment: { lastOf: 'close' } } as const
      return isPull
        ? { kind: 'close_pull_request', unit: 'pulls', ...about }
        : { kind: 'close_issue', unit: 'issues', ...about }
    }
    case 'issue.reopened': {
      const { issueId, isPull } = event.data
      const about = { issueId, comment: { lastOf: 'reopen' } } as const
      return isPull
        ? { kind: 'reopen_pull_request', unit: 'pulls', ...about }
        : { kind: 'reopen_issue', unit: 'issues', ...about }
    }
    case 'issue.commented': {
      const { issueId, isPull, commentId } = event.data
      return isPull
        ? { kind: 'comment_pull', unit: 'pulls', issueId, comment: commentId }
        : { kind: 'comment_issue', unit: 'issues', issueId, comment: commentId }
    }
    case 'pull.merged':
      return { kind: 'merge_pull_request', unit: 'pulls', issueId: event.data.issueId }
    case 'pull.readied':
      return { kind: 'pull_request_ready_for_review', unit: 'pulls', issueId: event.data.issueId }
    case 'review.submitted': {
      const { issueId, reviewId, type } = event.data
      const kinds = { comment: 'comment_pull', approve: 'approve_pull_request', reject: 'reject_pull_request' } as const
      return { kind: kinds[type], unit: 'pulls', issueId, comment: { ofReview: reviewId } }
    }
    case 'review.dismissed': {
      const { issueId, commentId } = event.data
      return { kind: 'pull_review_dismissed', unit: 'pulls', issueId, comment: commentId }
    }
    case 'release.published':
      return { kind: 'publish_release', unit: 'releases', releaseId: event.data.releaseId }
  }
}
