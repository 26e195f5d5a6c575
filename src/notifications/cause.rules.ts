import type { ThreadReason } from '../db/tables/notifications.ts'
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

/** A word for each event that notifies people. */
const words = {
  'issue.opened': 'opened',
  'issue.commented': 'comment',
  'issue.closed': 'closed',
  'issue.reopened': 'reopened',
  'issue.assigned': 'assigned',
  'pull.synchronized': 'pushed',
  'pull.readied': 'readied',
  'review.submitted': 'review',
  'review.dismissed': 'dismissed',
  'review.requested': 'requested',
  'repo.transferOffered': 'offered',
} as const satisfies Readonly<Record<NotifiedEvent['name'], string>>

type CauseWord = (typeof words)[NotifiedEvent['name']]

/** Returns the reason that an event gives all its recipients; undefined when it differs between them. */
export function reasonOfNaming({ name }: NotifiedEvent): ThreadReason | undefined {
  if (name === 'issue.assigned') return 'assigned'
  if (name === 'review.requested') return 'review_requested'
  return name === 'repo.transferOffered' ? 'offered' : undefined
}

/** The texts that the column `cause` stores. */
export interface CauseTexts {
  /** For recipients whom the text of the event does not mention. */
  readonly usual: string
  /** For those whom it mentions. */
  readonly mention: string
}

/** Returns the texts for a comment or review, which `retractThreads` looks for. */
export const textsOfCause = ({ table, id }: Cause): CauseTexts => withMention(`${table} ${id}`)

/** Returns the texts for an event. */
export function textsOfEvent(event: NotifiedEvent): CauseTexts {
  const cause = causeOf(event)
  return cause ? textsOfCause(cause) : withMention(words[event.name])
}

const withMention = (usual: string): CauseTexts => ({ usual, mention: `${usual} mention` })

/** Why a notification came: what happened last in its subject. */
export interface Reason {
  readonly what: CauseWord
  /** Whether the text of the event mentions the recipient. */
  readonly isMention: boolean
  /** The comment, of a comment. */
  readonly commentId?: number
}

const knownWords: ReadonlySet<string> = new Set(Object.values(words))

/** Reads the column `cause`; undefined when it is empty, as in a thread whose comment was deleted. */
export function reasonOf(cause: string): Reason | undefined {
  const [what = '', id] = cause.split(' ')
  if (!knownWords.has(what)) return undefined
  return {
    what: what as CauseWord,
    isMention: cause.endsWith(' mention'),
    ...(what === 'comment' ? { commentId: Number(id) } : {}),
  }
}
