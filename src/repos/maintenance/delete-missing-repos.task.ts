import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { deleteRepo } from '../lifecycle/repo-deletion.service.ts'
import { findUserById } from '../../users/user.store.ts'
import { forEveryRepository } from './every-repository.service.ts'

/** Deletes repositories whose git data is missing from the disk. */
export const deleteMissingRepos = (config: Config) =>
  configuredTask('delete_missing_repos', config.cronDeleteMissingRepos, (ctx, run) =>
    forEveryRepository(ctx, run, async (repo) => {
      if (await ctx.git.exists(repo.git_key)) return
      const owner = await findUserById(ctx.db, repo.owner_id)
      if (!owner) throw new Error(`its owner ${repo.owner_id} is missing`)
      await deleteRepo(ctx, owner, repo, owner.id)
    }),
  )
