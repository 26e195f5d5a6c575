import type { CommentId, ReviewId } from '../lib/ids.ts'
import type { NotifiedEvent } from './audience.service.ts'

/** The text that an event is about, which may be deleted. */
export interface Cause {
  readonly table: 'comment' | 'review'
  readonly id: CommentId | ReviewId
}

/** The comment or review of an event; undefined for events about something else. */
export function causeOf({ name, data }: NotifiedEvent): Cause | undefined {
  if (name === 'issue.commented') return { table: 'comment', id: data.commentId }
  return name === 'review.submitted' ? { table: 'review', id: data.reviewId } : undefined
}

/** The form in which a thread keeps its cause. */
export const causeText = (cause: Cause | undefined): string => (cause ? `${cause.table} ${cause.id}` : '')
