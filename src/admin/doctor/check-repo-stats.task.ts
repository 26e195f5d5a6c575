import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { recount } from './recount.service.ts'

/** Corrects stored counts, such as stars, watchers, forks and issues. */
export const checkRepoStats = (config: Config) =>
  configuredTask('check_repo_stats', config.cronCheckRepoStats, async (ctx, run) => {
    let done = 0
    for await (const { counter, wrong } of recount(ctx, true)) {
      run.signal.throwIfAborted()
      ctx.log('warn', 'corrected a wrong stored count', {
        ...wrong,
        of: `${counter.table}.${counter.column}`,
      })
      run.progress({ done: ++done })
    }
  })
