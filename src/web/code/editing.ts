import type { RepoCtx } from '../../access/context.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import { texts } from './texts.tsx'

/** Whether files of a revision may be changed in the browser; otherwise the reason, if one is worth showing. */
export type Editing =
  | { readonly isOffered: true; readonly branch: string }
  | { readonly isOffered: false; readonly reason: string | undefined }

/** Returns whether the viewer may change files of a revision here. Protections are checked when the change is made. */
export function mayEditHere({ viewer, rights, repo }: RepoCtx, revision: Pick<NamedCommit, 'kind' | 'name'>): Editing {
  const refused = (reason: string | undefined): Editing => ({ isOffered: false, reason })
  if (!viewer) return refused(undefined)
  if (repo.is_archived) return refused(texts.archivedHere)
  if (repo.is_mirror) return refused(texts.mirrorHere)
  if (!rights.canWrite('code')) return refused(texts.readOnlyHere)
  if (revision.kind !== 'branch') return refused(texts.onlyOnBranches)
  return { isOffered: true, branch: revision.name }
}
