import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { forEveryRepository, gitKeysOf } from './every-repository.service.ts'

/** Runs `git fsck` in every repository. */
export const repoHealthCheck = (config: Config) =>
  configuredTask('repo_health_check', config.cronRepoHealthCheck, (ctx, run) =>
    forEveryRepository(ctx, run, async (repo) => {
      for (const key of gitKeysOf(repo)) {
        const { ok, problems } = await ctx.git.fsck(key)
        if (!ok) throw new Error(`${key} is damaged: ${problems.slice(0, 3).join(', ')}`)
      }
    }),
  )
