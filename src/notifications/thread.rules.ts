import { threadStatuses, threadSubjects, type ThreadStatus, type ThreadSubject } from '../db/tables/notifications.ts'

const wordsOf = <Word extends string>(known: readonly Word[], texts: readonly string[] | undefined): Word[] => {
  const wanted = new Set((texts ?? []).map((text) => text.trim().toLowerCase()))
  return known.filter((word) => wanted.has(word))
}

/** The statuses that a query names, in any case; empty for no filter. Source: contract (`status-types`). */
export const statusesOf = (texts: readonly string[] | undefined): ThreadStatus[] => wordsOf(threadStatuses, texts)

/** The kinds of subjects that a query names, in any case; empty for no filter. Source: contract (`subject-type`). */
export const subjectsOf = (texts: readonly string[] | undefined): ThreadSubject[] => wordsOf(threadSubjects, texts)

/** The status that threads are to have: read, unless a known word says otherwise (contract, `to-status`). */
export const targetStatus = (text: string | undefined): ThreadStatus => statusesOf([text ?? ''])[0] ?? 'read'
