import type { Ctx } from '../../access/context.ts'
import { schedule } from '../../jobs/schedule.ts'

/** Removes locks and unfinished objects of killed git processes. */
export const removeGitLeftovers = schedule<Ctx>({
  name: 'remove_git_leftovers',
  when: '@every 24h',
  runAtStart: true,
  // The run is resumed where a killed process stopped.
  attempts: 10,
  async run({ git, log }, { signal }) {
    await git.removeLeftovers()
    for await (const key of git.listKeys()) {
      signal.throwIfAborted()
      // The next run and the doctor read this repository again.
      await git.removeDead(key).catch((error: unknown) => log('error', 'leftovers were not removed', { error, key }))
    }
  },
})
