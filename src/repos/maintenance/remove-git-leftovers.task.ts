import type { Ctx } from '../../access/context.ts'
import { schedule } from '../../jobs/schedule.ts'

/** Removes what killed git processes left in repositories: locks that bar a reference for good, objects never finished. */
export const removeGitLeftovers = schedule<Ctx>({
  name: 'remove_git_leftovers',
  when: '@every 24h',
  runAtStart: true,
  // A process that is killed often has to come to its end some time.
  attempts: 10,
  async run({ git, log }, { signal }) {
    await git.removeLeftovers()
    for await (const key of git.listKeys()) {
      signal.throwIfAborted()
      // What cannot be read now is looked at again tomorrow, and by the doctor.
      await git.removeDead(key).catch((error: unknown) => log('error', 'leftovers were not removed', { error, key }))
    }
  },
})
