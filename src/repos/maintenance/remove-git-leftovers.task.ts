import type { Ctx, Services } from '../../access/context.ts'
import { schedule } from '../../jobs/schedule.ts'

/** Removes locks and unfinished objects of killed git processes. */
export const removeGitLeftovers = schedule<Ctx>({
  name: 'remove_git_leftovers',
  when: '@every 24h',
  runAtStart: true,
  // The run is resumed where a killed process stopped.
  attempts: 10,
  run: (ctx, { signal }) => cleanRepositories(ctx, signal),
})

/** Removes what killed git processes left on this machine. */
export async function cleanRepositories({ git, log }: Services, signal: AbortSignal): Promise<void> {
  await git.removeLeftovers()
  await git.removeForsaken()
  for await (const key of git.listKeys()) {
    signal.throwIfAborted()
    // The next run and the doctor read this repository again.
    await git.removeDead(key).catch((error: unknown) => log('error', 'leftovers were not removed', { error, key }))
  }
}
