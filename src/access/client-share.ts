import { aboutRepository } from '../admission/claim.ts'
import { personOf } from '../admission/shares.ts'
import type { ClientShare } from '../git/git.ts'
import type { RepoCtx } from './context.ts'

/** What git's work for a client takes of the places of its kind; undefined for the program's own. */
export function shareOfClient(
  {
    admission,
    claim: asked,
    repo,
  }: Pick<RepoCtx, 'admission' | 'claim'> & { readonly repo: Pick<RepoCtx['repo'], 'id'> },
  kind: 'fetches' | 'pushes' | 'archives' | 'downloads',
): ClientShare | undefined {
  if (asked === undefined) return undefined
  // By its number: a repository has several addresses, and its wiki belongs to it.
  const claim = aboutRepository(asked, repo.id)
  return {
    who: String(personOf(claim)),
    place: (signal) => admission[kind].take(claim, signal),
    room: {
      tryTake: (bytes) => admission.spool.tryTake(claim, bytes),
      release: (bytes) => admission.spool.release(claim, bytes),
    },
  }
}
