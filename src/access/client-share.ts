import { aboutRepository } from '../admission/claim.ts'
import { personOf } from '../admission/shares.ts'
import type { ClientShare } from '../git/git-service.ts'
import type { RepoCtx } from './context.ts'

/** Returns the share of git work that counts for a client; undefined for work of the server itself. */
export function shareOfClient(
  {
    admission,
    claim: given,
    repo,
  }: Pick<RepoCtx, 'admission' | 'claim'> & { readonly repo: Pick<RepoCtx['repo'], 'id'> },
  kind: 'fetches' | 'pushes' | 'archives' | 'downloads',
): ClientShare | undefined {
  if (given === undefined) return undefined
  // The id is the key, because a repository has several URLs and a wiki.
  const claim = aboutRepository(given, repo.id)
  return {
    who: String(personOf(claim)),
    admit: (signal) => admission[kind].take(claim, signal),
    room: {
      tryTake: (bytes) => admission.spool.tryTake(claim, bytes),
      release: (bytes) => admission.spool.release(claim, bytes),
    },
  }
}
