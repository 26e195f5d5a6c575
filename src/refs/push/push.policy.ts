import type { Rights } from '../../access/rights.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { PushedUpdate } from '../../git/git-service.ts'
import { branchOf, isZeroOid } from '../../lib/refs.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import type { GitRepository } from '../git-repository.ts'

/** Whether a push may move a reference, apart from protections. */
export function mayPushRef(
  repo: Pick<RepoRow, 'default_branch' | 'wiki_branch'>,
  kind: GitRepository['kind'],
  rights: Pick<Rights, 'canWrite'>,
  update: PushedUpdate,
): Verdict {
  if (update.ref.startsWith('refs/pull/')) {
    return deny('ref_read_only', `${update.ref} is read-only; push to the branch of the pull request instead`)
  }
  if (!rights.canWrite(kind)) return deny('push_forbidden', 'permission denied for writing')
  const branch = branchOf(update.ref)
  if (branch === 'HEAD' && !isZeroOid(update.new)) return deny('branch_name_invalid', 'a branch cannot be named HEAD')
  const main = kind === 'code' ? repo.default_branch : repo.wiki_branch
  if (branch !== undefined && branch === main && isZeroOid(update.new)) {
    return deny('default_branch_kept', 'the default branch cannot be deleted')
  }
  return allow
}

/** Whether a push may set push options: administrators of a repository that is not a fork. */
export function maySetByPush(repo: RepoRow, rights: Rights): Verdict {
  return rights.isAdmin && !repo.is_fork ? allow : deny('push_options_forbidden', 'options validation failed')
}
