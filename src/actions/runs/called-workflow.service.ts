import type { Services } from '../../access/context.ts'
import { findRepoOfPath } from '../../access/access.store.ts'
import { accessTo } from '../../access/repo-access.ts'
import { findRevision } from '../../code/commits/named-commit.service.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import type { Called, FindCalled, Origin } from '../workflows/plan-scope.ts'
import { listWorkflowFiles } from '../workflows/workflow-files.service.ts'

/** The commit that contains a workflow file. */
class Commit implements Origin {
  constructor(
    readonly key: GitKey,
    readonly oid: Oid,
  ) {}
}

/** What a run executes, as far as the lookup of called workflows depends on it. */
export interface Caller {
  readonly repo: RepoRow
  readonly commit: Oid
  readonly files?: Oid
}

/**
 * Returns a function that finds the workflow that a job calls: in the same commit, in the run's repository, or in a
 * repository whose code is public. The person who caused the run adds no rights.
 */
export function calledWorkflowFinder(services: Services, start: Caller): FindCalled {
  const own = new Commit(start.repo.git_key, start.files ?? start.commit)
  return async (uses, from) => {
    // Loaded with the first call: most instances have no called workflows.
    const { parseCallTarget } = await import('../workflows/call.rules.ts')
    const target = parseCallTarget(uses)
    if (!target) {
      return {
        ok: false,
        problem: `\`uses: ${uses}\` is not a workflow; write ./.forgejo/workflows/FILE or OWNER/REPOSITORY/.forgejo/workflows/FILE@REF`,
      }
    }
    const commit =
      target.repository === undefined
        ? ((from as Commit | undefined) ?? own)
        : await commitOf(services, start, target.repository, target.ref)
    return commit ? workflowAt(services, commit, target.id, uses) : notFound(uses)
  }
}

/** The same answer for a missing workflow and an unreadable one, so that nobody learns of private repositories. */
const notFound = (uses: string): Called => ({
  ok: false,
  problem: `called workflow "${uses}" does not exist or is not readable`,
})

async function workflowAt(services: Services, commit: Commit, id: string, uses: string): Promise<Called> {
  const file = (await listWorkflowFiles(services, commit.key, commit.oid)).find((each) => each.id === id)
  if (!file) return notFound(uses)
  if (!file.parsed.ok) return { ok: false, problem: `called workflow "${uses}": ${file.parsed.problem}` }
  return { ok: true, workflow: file.parsed.workflow, origin: commit }
}

/** Returns the commit of a branch or tag. A commit that only a fork contributed counts as missing. */
async function commitOf(
  { db, git }: Services,
  start: Caller,
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
