import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { forEveryRepository, gitKeysOf } from './every-repository.service.ts'

/** Packs references and objects of each repository that needs it, and deletes files that killed git processes left. */
export const gitGcRepos = (config: Config) =>
  configuredTask('git_gc_repos', config.cronGitGcRepos, (ctx, run) =>
    forEveryRepository(ctx, run, async (repo) => {
      for (const key of gitKeysOf(repo)) {
        await ctx.git.maintain(key, ['leftovers', 'pack-refs', 'repack', 'commit-graph'])
      }
    }),
  )
