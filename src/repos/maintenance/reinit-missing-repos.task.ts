import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { takeFromDisk } from '../../refs/changes/disk.service.ts'
import { codeOf, wikiOf } from '../../refs/git-repository.ts'
import { forEveryRepository } from './every-repository.service.ts'

/** Creates empty git data for repositories whose git data is missing on disk; they have no references then. */
export const reinitMissingRepos = (config: Config) =>
  configuredTask('reinit_missing_repos', config.cronReinitMissingRepos, (ctx, run) =>
    forEveryRepository(ctx, run, async (repo) => {
      const options = { defaultBranch: repo.default_branch, objectFormat: repo.object_format }
      if (!(await ctx.git.exists(repo.git_key))) {
        await ctx.git.create(repo.git_key, options)
        await takeFromDisk(ctx, codeOf(repo), repo.owner_id)
      }
      const wiki = repo.wiki_git_key
      if (wiki !== null && !(await ctx.git.exists(wiki))) {
        await ctx.git.create(wiki, { ...options, defaultBranch: repo.wiki_branch })
        await takeFromDisk(ctx, wikiOf(repo, wiki), repo.owner_id)
      }
    }),
  )
