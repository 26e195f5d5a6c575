import { threadReasons, threadStatuses, type ThreadReason, type ThreadStatus } from '../../db/tables/notifications.ts'
import { text } from '../ui/fields.ts'
import { withQuery } from '../ui/paths.ts'

/** What the list of notifications shows, as its address says it. */
export interface InboxQuery {
  readonly status: ThreadStatus
  readonly reason: ThreadReason | undefined
  /** The full name of a repository. */
  readonly repo: string | undefined
  readonly group: 'reason' | 'repository'
}

export const inboxFields = { q: text, reason: text, repo: text, group: text }

interface InboxWords {
  readonly q?: string | undefined
  readonly reason?: string | undefined
  readonly repo?: string | undefined
  readonly group?: string | undefined
}

/** Reads the words of an address or form; unknown ones count as absent. */
export const readInboxQuery = ({ q, reason, repo, group }: InboxWords): InboxQuery => ({
  status: threadStatuses.find((each) => each === q) ?? 'unread',
  reason: threadReasons.find((each) => each === reason),
  repo: repo === '' ? undefined : repo,
  group: group === 'repository' ? 'repository' : 'reason',
})

/** Returns the words of a query; those that say the usual are absent. */
export const wordsOf = ({ status, reason, repo, group }: InboxQuery): Readonly<Record<string, string>> => ({
  ...(status === 'unread' ? {} : { q: status }),
  ...(reason === undefined ? {} : { reason }),
  ...(repo === undefined ? {} : { repo }),
  ...(group === 'reason' ? {} : { group }),
})

export const inboxPath = (query: InboxQuery): string => withQuery('/notifications', wordsOf(query))
