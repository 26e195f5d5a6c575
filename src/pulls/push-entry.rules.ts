import type { Oid } from '../lib/ids.ts'

/** A push, as its entry of the timeline records it. */
export interface PushEntry {
  readonly isForced: boolean
  /** The pushed commits, oldest first; of a forced push, the replaced head and the new one. */
  readonly commits: readonly Oid[]
}

/** Returns the content of a timeline entry for a push. */
export const writePushEntry = ({ isForced, commits }: PushEntry): string =>
  JSON.stringify({ is_force_push: isForced, commit_ids: commits })

const oid = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Reads the content of a timeline entry. An imported entry may hold another text; then the push has no details. */
export function readPushEntry(content: string): PushEntry {
  try {
    const push = JSON.parse(content) as { is_force_push?: unknown; commit_ids?: unknown } | null
    const ids: readonly unknown[] = Array.isArray(push?.commit_ids) ? push.commit_ids : []
    const commits = ids.filter((id): id is Oid => typeof id === 'string' && oid.test(id))
    return { isForced: push?.is_force_push === true, commits }
  } catch (error) {
    if (!Error.isError(error) || error.name !== 'SyntaxError') throw error
    return { isForced: false, commits: [] }
  }
}

/** Returns the replaced and the new head of a forced push; undefined when the entry does not name them. */
export function replacedHead({ isForced, commits }: PushEntry): { readonly old: Oid; readonly new: Oid } | undefined {
  const [old, now] = commits
  return isForced && commits.length === 2 && old && now ? { old, new: now } : undefined
}
