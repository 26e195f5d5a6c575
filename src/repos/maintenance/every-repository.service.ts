import type { Services } from '../../access/context.ts'
import { countRepos, everyRepo } from '../../access/repo-scan.store.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { JobRun } from '../../jobs/job.ts'
import type { GitKey } from '../../lib/ids.ts'

/** Number of problems that are reported with their texts. Further ones are counted. */
const maxKept = 5

/**
 * Runs `work` for each repository in turn and reports progress. A failure is logged and the next repository
 * follows. At the end, the first failures fail the task.
 */
export async function forEveryRepository(
  services: Services,
  run: JobRun,
  work: (repo: RepoRow) => Promise<void>,
): Promise<void> {
  const total = await countRepos(services.db)
  const problems: string[] = []
  let failed = 0
  let done = 0
  for await (const repos of everyRepo(services.db)) {
    for (const repo of repos) {
      run.signal.throwIfAborted()
      try {
        await work(repo)
      } catch (error) {
        failed += 1
        services.log('error', 'a task failed for a repository', { error, repoId: repo.id })
        if (problems.length < maxKept) problems.push(`repository ${repo.id}: ${(error as Error).message}`)
      }
      run.progress({ done: ++done, total })
    }
  }
  if (failed > 0) throw new Error(`it failed for ${failed} of ${total} repositories: ${problems.join('; ')}`)
}

/** Returns the git keys of a repository and of its wiki. */
export const gitKeysOf = (repo: RepoRow): readonly GitKey[] =>
  repo.wiki_git_key === null ? [repo.git_key] : [repo.git_key, repo.wiki_git_key]
