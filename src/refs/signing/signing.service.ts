import type { Services } from '../../access/context.ts'
import { findTwoFactor } from '../../auth/two-factor.store.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Commit, Identity, ReadFrom, Sign } from '../../git/git.ts'
import type { Oid, UserId } from '../../lib/ids.ts'
import { withTrailers } from '../../lib/trailers.ts'
import { instanceSigner } from '../../site/signing-key.service.ts'
import { signedAs, signingConditions, trustModelOf, type SigningFacts, type TrustModel } from './signing.rules.ts'
import { hasSigningKey } from './signing-key.store.ts'
import { verifySignatures } from './verification.ts'

/** How commits are signed. */
export interface CommitSigning {
  readonly sign: Sign
  readonly trustModel: TrustModel
  /** The identity that signed commits show. */
  readonly person: { readonly name: string; readonly email: string }
}

/** Kinds of commits with a setting of their own for signing. */
export type SignedAct = 'initialCommit' | 'crudActions' | 'wiki' | 'merges'

/** Facts that the caller knows about the commit. */
export type ActFacts = Partial<Omit<SigningFacts, 'pubkey' | 'twofa'>>

/**
 * How the instance signs a commit for a user; undefined when it has no key or a condition of `[repository.signing]`
 * does not hold. Conditions are checked in the order of the setting, up to the first failure.
 */
export async function signingFor(
  services: Services,
  act: SignedAct,
  doerId: UserId,
  repo: Pick<RepoRow, 'trust_model'>,
  known: ActFacts = {},
): Promise<CommitSigning | undefined> {
  const { config, clock, db } = services
  const { initialCommit, crudActions, wiki, merges, defaultTrustModel } = config.repositorySigning
  const conditions = signingConditions({ initialCommit, crudActions, wiki, merges }[act])
  const found = conditions && (await instanceSigner(services))
  if (!found) return undefined
  const facts: Partial<SigningFacts> = {
    ...known,
    pubkey: () => hasSigningKey(db, doerId),
    twofa: async () => (await findTwoFactor(db, doerId)) !== undefined,
  }
  for (const condition of conditions) if (!(await facts[condition]?.())) return undefined
  const { signer, name, email } = found
  return {
    sign: (payload) => signer.sign(payload, clock.nowMs()),
    trustModel: trustModelOf(repo.trust_model, defaultTrustModel),
    person: { name, email },
  }
}

/** A commit with its signature and the committer that the trust model requires. */
export function signedCommit<Made extends { author: Identity; committer: Identity; message: string }>(
  signing: CommitSigning | undefined,
  commit: Made,
): Made & { readonly sign?: Sign } {
  if (!signing) return commit
  const { committer, trailers } = signedAs(signing.trustModel, signing.person, commit)
  return { ...commit, committer, message: withTrailers(commit.message, trailers), sign: signing.sign }
}

/** Whether a commit has a good signature; true without a commit. */
export async function hasGoodSignature(
  services: Pick<Services, 'git' | 'db' | 'config' | 'caches'>,
  at: ReadFrom,
  oid: Oid | undefined,
): Promise<boolean> {
  if (oid === undefined) return true
  const commit: Commit = await services.git.readCommit(at, oid)
  const [verdict] = await verifySignatures(services, [commit])
  return verdict?.kind === 'signed' && verdict.isGood
}
