import type { Services } from '../../access/context.ts'
import { findRepoOfPath } from '../../access/access.store.ts'
import { accessTo } from '../../access/repo-access.ts'
import { findRevision } from '../../code/commits/named-commit.service.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import type { Called, FindCalled, Origin } from '../workflows/job-plan.ts'
import { listWorkflowFiles } from '../workflows/workflow-files.service.ts'
import type { RunStart } from './start-run.service.ts'

/** A commit whose workflows are named by their paths. */
class Commit implements Origin {
  constructor(
    readonly key: GitKey,
    readonly oid: Oid,
  ) {}
}

/**
 * Finds the workflows that jobs of a run call: in the same commit, in the run's own repository, or in repositories whose
 * code everybody may read. A run has no other rights, whoever caused it.
 */
export function finderOf(services: Services, start: RunStart): FindCalled {
  const own = new Commit(start.repo.git_key, start.files ?? start.commit)
  return async (uses, from) => {
    // Loaded with the first call: most instances have none.
    const { callPlaceOf } = await import('../workflows/call.rules.ts')
    const place = callPlaceOf(uses)
    if (!place) return { ok: false, problem: `${uses} names no workflow` }
    const at =
      place.repository === undefined
        ? ((from as Commit | undefined) ?? own)
        : await commitOf(services, start, place.repository, place.ref)
    // One that may not be read is not there.
    if (!at) return { ok: false, problem: `${uses} is not there` }
    return workflowAt(services, at, place.id, uses)
  }
}

async function workflowAt(services: Services, at: Commit, id: string, uses: string): Promise<Called> {
  const file = (await listWorkflowFiles(services, at.key, at.oid)).find((each) => each.id === id)
  if (!file) return { ok: false, problem: `${uses} is not there` }
  if (!file.parsed.ok) return { ok: false, problem: `${uses}: ${file.parsed.problem}` }
  return { ok: true, workflow: file.parsed.workflow, origin: at }
}

/** The commit of a branch or tag. One that only a fork contributed is not there, as if the fork were its repository. */
async function commitOf(
  { db, git }: Services,
  start: RunStart,
  repository: string,
  ref: string,
): Promise<Commit | undefined> {
  const [ownerName = '', name = ''] = repository.split('/')
  const { owner, repo } = await findRepoOfPath(db, ownerName, name)
  if (!owner || !repo || repo.is_empty) return undefined
  const { rights } = await accessTo(db, undefined, owner, repo)
  if (repo.id !== start.repo.id && !rights.canRead('code')) return undefined
  const commit = (await findRevision(git, repo.git_key, ref))?.commit
  const isOwn = commit !== undefined && (await git.isOnBranchOrTag(repo.git_key, commit))
  return isOwn ? new Commit(repo.git_key, commit) : undefined
}
