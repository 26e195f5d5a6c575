import type { SignedInRepoCtx } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Oid } from '../../lib/ids.ts'
import { firstUnsigned, protectionOf } from '../../refs/protection/protection.service.ts'
import { hasGoodSignature, signingFor, type CommitSigning } from '../../refs/signing/signing.service.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import type { PullPair } from '../pull.store.ts'
import { listOfficial } from '../reviews/review.store.ts'

/** Returns the signing of a merge of a pull request into its base; undefined when the merge is not signed. */
export function mergeSigning(
  ctx: SignedInRepoCtx,
  { pull, issue }: PullPair,
  base: Oid | undefined,
): Promise<CommitSigning | undefined> {
  const key = ctx.repo.git_key
  const head = pull.synced_oid
  return signingFor(ctx, 'merges', ctx.viewer.id, ctx.repo, {
    basesigned: () => hasGoodSignature(ctx, key, base),
    headsigned: () => hasGoodSignature(ctx, key, head),
    commitssigned: async () => (await firstUnsigned(ctx, mergeBaseOf(pull), head, key)) === undefined,
    approved: async () => {
      const { rule } = await protectionOf(ctx, pull.base_branch)
      return rule !== undefined && (await listOfficial(ctx.db, issue.id)).some(({ type }) => type === 'approve')
    },
  })
}

/**
 * Returns the signing of an update of a head with its base; undefined when the update is not signed. The rule `approved`
 * does not apply, because nobody approves an update.
 * @param at the commits of head (`tip`) and base
 */
export function updateSigning(
  ctx: SignedInRepoCtx,
  headRepo: RepoRow,
  at: { readonly tip: Oid; readonly base: Oid },
): Promise<CommitSigning | undefined> {
  const key = headRepo.git_key
  return signingFor(ctx, 'merges', ctx.viewer.id, headRepo, {
    basesigned: () => hasGoodSignature(ctx, key, at.tip),
    headsigned: () => hasGoodSignature(ctx, key, at.base),
    commitssigned: async () => (await firstUnsigned(ctx, at.tip, at.base, key)) === undefined,
  })
}
