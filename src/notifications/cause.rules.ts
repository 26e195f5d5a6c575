import type { CommentId, ReviewId } from '../lib/ids.ts'
import type { NotifiedEvent } from './audience.service.ts'

/** The comment or review that caused a notification; its deletion retracts the notification. */
export interface Cause {
  readonly table: 'comment' | 'review'
  readonly id: CommentId | ReviewId
}

/** Returns the comment or review of an event; undefined for other events. */
export function causeOf({ name, data }: NotifiedEvent): Cause | undefined {
  if (name === 'issue.commented') return { table: 'comment', id: data.commentId }
  return name === 'review.submitted' ? { table: 'review', id: data.reviewId } : undefined
}

/** Returns the text that the column `cause` of a thread stores. */
export const causeText = (cause: Cause | undefined): string => (cause ? `${cause.table} ${cause.id}` : '')
