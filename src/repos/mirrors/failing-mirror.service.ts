import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Unix } from '../../lib/time.ts'
import { findMirror } from './mirror.store.ts'
import { listFailingPushMirrors } from './push-mirror.store.ts'

/** A mirror whose last synchronization failed. */
export interface FailingMirror {
  /** The address that a push mirror sends to; undefined for what this repository follows. */
  readonly target: string | undefined
  /** When a synchronization succeeded last. 0: never. */
  readonly syncedUnix: Unix
  /** Undefined for viewers who cannot try again: it can name machines of a private network. */
  readonly reason: string | undefined
  readonly mayRetry: boolean
}

/**
 * Returns the mirrors of a repository that the viewer sees failing: what it follows, and for its administrators the push
 * mirrors.
 */
export async function listFailingMirrors(ctx: RepoCtx): Promise<readonly FailingMirror[]> {
  const { db, repo, rights, config } = ctx
  if (!config.mirror.enabled) return []
  const may = mayHere(ctx)
  const [followed, pushed] = await Promise.all([
    repo.is_mirror ? findMirror(db, repo.id) : undefined,
    rights.isAdmin ? listFailingPushMirrors(db, repo.id) : [],
  ])
  const failing = (
    row: { readonly synced_unix: Unix; readonly last_error: string },
    mayRetry: boolean,
    target?: string,
  ): FailingMirror => ({
    target,
    syncedUnix: row.synced_unix,
    reason: mayRetry || rights.isAdmin ? row.last_error : undefined,
    mayRetry,
  })
  return [
    ...(followed === undefined || followed.last_error === '' ? [] : [failing(followed, may.write('code').allowed)]),
    ...pushed.map((row) => failing(row, may.administer.allowed, row.remote_url)),
  ]
}
