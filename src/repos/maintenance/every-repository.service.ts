import type { Services } from '../../access/context.ts'
import { countRepos, everyRepo } from '../../access/repo-scan.store.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { JobRun } from '../../jobs/job.ts'
import type { GitKey } from '../../lib/ids.ts'

/** Problems whose texts are kept; the rest is counted. */
const maxKept = 5

/**
 * Does something with every repository, one after the other, and reports progress. What fails for one is told in the
 * log and does not keep it from the others; in the end the task has failed, with the first of the reasons.
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

/** The git repositories of a repository: its own, and its wiki's when it has one. */
export const gitKeysOf = (repo: RepoRow): readonly GitKey[] =>
  repo.wiki_git_key === null ? [repo.git_key] : [repo.git_key, repo.wiki_git_key]
