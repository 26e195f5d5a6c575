import type { Viewer } from '../auth/viewer.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import type { RepoCtx } from './context.ts'

/** Verdicts about changes in one repository. Guests change nothing, and nobody changes what is archived. */
export interface Here {
  /** Any change at all. */
  readonly change: Verdict
  /** Allows what writers of one of the units do. */
  readonly write: (...units: readonly RepoUnit[]) => Verdict
  /** Allows a change of files and references, which a mirror takes from its origin only. */
  readonly push: (unit: 'code' | 'wiki') => Verdict
  readonly administer: Verdict
  readonly own: Verdict
  /** Returns the verdict of a policy about a row. */
  readonly judge: (policy: (viewer: Viewer) => Verdict) => Verdict
}

/** Returns what the viewer may change in the repository, with the codes of the requirements (`repo.requirements.ts`). */
export function mayHere({ viewer, rights, repo }: Pick<RepoCtx, 'viewer' | 'rights' | 'repo'>): Here {
  const change =
    viewer === undefined
      ? deny('signed_out', 'you must be signed in')
      : repo.is_archived
        ? deny('archived', 'the repository is archived')
        : allow
  const changeIf = (isAllowed: boolean, denial: Verdict): Verdict => (change.allowed && !isAllowed ? denial : change)
  const write = (...units: readonly RepoUnit[]): Verdict =>
    changeIf(
      units.some((unit) => rights.canWrite(unit)),
      deny('unit_unwritable', `you may not write ${units.join(' or ')}`),
    )
  return {
    change,
    write,
    push: (unit) =>
      change.allowed && repo.is_mirror ? deny('mirror', 'the repository is a mirror of another one') : write(unit),
    administer: changeIf(rights.isAdmin, deny('repo_admin_only', 'only administrators of the repository may do this')),
    own: changeIf(rights.isOwner, deny('repo_owner_only', 'only the owner of the repository may do this')),
    judge: (policy) => (viewer !== undefined && change.allowed ? policy(viewer) : change),
  }
}
