import { threadStatuses, threadSubjects, type ThreadStatus, type ThreadSubject } from '../db/tables/notifications.ts'
import type { IssueId } from '../lib/ids.ts'

const wordsOf = <Word extends string>(known: readonly Word[], texts: readonly string[] | undefined): Word[] => {
  const wanted = new Set((texts ?? []).map((text) => text.trim().toLowerCase()))
  return known.filter((word) => wanted.has(word))
}

/** Returns the statuses that a query names, ignoring case; empty means no filter. Source: contract (`status-types`). */
export const statusesOf = (texts: readonly string[] | undefined): ThreadStatus[] => wordsOf(threadStatuses, texts)

/** Returns the subject types that a query names, ignoring case; empty means no filter. Source: contract (`subject-type`). */
export const subjectsOf = (texts: readonly string[] | undefined): ThreadSubject[] => wordsOf(threadSubjects, texts)

/** Returns the status to set; an absent or unknown word means `read`. Source: contract (`to-status`). */
export const targetStatus = (text: string | undefined): ThreadStatus => statusesOf([text ?? ''])[0] ?? 'read'

/** Returns the lane of the jobs that change the notifications about an issue. */
export const laneOfIssue = (issueId: IssueId): string => `notify issue ${issueId}`
