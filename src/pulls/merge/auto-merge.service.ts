import { serverWork } from '../../access/server-work.ts'
import type { Services, SignedInRepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { viewerAs } from '../../auth/viewer.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { PullId, UserId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/errors.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { findUserById } from '../../users/user.store.ts'
import { mergePull } from './merge.service.ts'
import { findScheduledMerge } from './merge.store.ts'
import type { MergeStyle } from './merge-style.ts'
import { pairsOf } from '../pull.service.ts'
import { findPullById } from '../pull.store.ts'

/**
 * Returns the context of an account with its current rights in the repository of a pull request; undefined when the
 * repository does not exist or the account cannot sign in.
 */
async function actingAs(services: Services, pull: PullRow, userId: UserId): Promise<SignedInRepoCtx | undefined> {
  const [user, repo] = await Promise.all([findUserById(services.db, userId), findRepoById(services.db, pull.repo_id)])
  const owner = repo && (await findUserById(services.db, repo.owner_id))
  if (!user || !repo || !owner || !user.is_active || user.prohibit_login) return undefined
  const viewer = viewerAs(user)
  const { units, rights } = await accessTo(services.db, viewer, owner, repo)
  return { ...serverWork(services), viewer, repo, owner, units, rights }
}

/**
 * Tries a scheduled merge with the rights of the account that scheduled it. A refused merge stays scheduled until the next
 * event.
 */
export async function tryScheduledMerge(services: Services, id: PullId): Promise<void> {
  const [pull, waiting] = await Promise.all([findPullById(services.db, id), findScheduledMerge(services.db, id)])
  if (!pull || !waiting || pull.is_merged) return
  const ctx = await actingAs(services, pull, waiting.doer_id)
  const [pair] = await pairsOf(services, [pull])
  if (!ctx || !pair || ctx.repo.is_archived) return
  try {
    const input = {
      style: waiting.style as MergeStyle,
      title: waiting.title,
      message: waiting.message,
      mergeCommit: '',
      expectedHead: '',
      isForced: false,
      whenChecksSucceed: false,
      deletesBranch: waiting.deletes_branch,
    }
    await mergePull(ctx, pair, input, waiting)
  } catch (error) {
    // A refusal keeps the merge scheduled; any other error fails the job.
    if (!(error instanceof Refusal)) throw error
    services.log('debug', 'the scheduled merge is refused and stays scheduled', { pullId: id, reason: error.message })
  }
}
