import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import { mayPropose } from '../../pulls/proposal.policy.ts'
import { codeTexts as texts } from '../languages/texts.ts'

/** Whether files of a revision may be changed in the browser; otherwise the reason, if one is worth showing. */
export type Editing =
  | { readonly isOffered: true; readonly branch: string }
  | { readonly isOffered: false; readonly reason: string | undefined }

/** Returns whether the viewer may change files of a revision here. Protections are checked when the change is made. */
export function mayEditHere(ctx: RepoCtx, revision: Pick<NamedCommit, 'kind' | 'name'>): Editing {
  const pushing = mayHere(ctx).push('code')
  // People who may only read change files in a fork and propose that.
  const verdict = pushing.allowed ? pushing : mayPropose(ctx)
  if (!verdict.allowed) return { isOffered: false, reason: texts.notHere[verdict.code] }
  if (revision.kind !== 'branch') return { isOffered: false, reason: texts.onlyOnBranches }
  return { isOffered: true, branch: revision.name }
}
