import type { RepoCtx } from '../../access/context.ts'
import type { QuotaSubject } from '../../access/quota/quota.rules.ts'
import { reserveUsage } from '../../access/quota/reservation.service.ts'
import type { Tx } from '../../db/database.ts'
import type { GitRepository } from '../git-repository.ts'
import { addGitBytes } from './ref.store.ts'

/**
 * Returns what charges the new objects of a change in its transaction, before the references move (`Consequence.before`). It
 * throws `OverQuota` when the owner was over quota before them, so that of parallel changes only one can cross the limit. The
 * measurement that follows each change replaces the sum by the size of the repository.
 * @param countBytes counts the bytes on disk; called only when quotas are on
 * @param subject what the operation requires to be within quota
 */
export async function chargeObjects(
  { config, owner }: Pick<RepoCtx, 'config' | 'owner'>,
  { kind, repoId }: Pick<GitRepository, 'kind' | 'repoId'>,
  countBytes: () => Promise<number>,
  subject: QuotaSubject = 'size:repos:all',
): Promise<((tx: Tx) => Promise<void>) | undefined> {
  // Wikis do not count (contract, wiki).
  if (!config.quota.enabled || kind === 'wiki') return undefined
  const sizeBytes = await countBytes()
  if (sizeBytes === 0) return undefined
  return async (tx) => {
    const isPrivate = await addGitBytes(tx, repoId, sizeBytes)
    await reserveUsage({ config }, tx, {
      owner,
      charged: { repoId },
      kind: isPrivate ? 'repos:private' : 'repos:public',
      subject,
      sizeBytes,
    })
  }
}
