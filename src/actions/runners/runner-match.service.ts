import type { RepoCtx } from '../../access/context.ts'
import { isOnline } from './runner.rules.ts'
import { listLabelsTaking } from './runner.store.ts'

/** Whether a runner that is online has all labels, only one that is offline has, or none has. */
export type RunnerMatch = 'online' | 'offline' | 'missing'

/**
 * Returns which runners of the repository, its owner or the instance have the labels of jobs.
 * @param runsOn the labels as JSON, as in the rows of jobs
 */
export async function matchRunners(
  { db, repo, clock }: RepoCtx,
  runsOn: readonly string[],
): Promise<ReadonlyMap<string, RunnerMatch>> {
  const wanted = [...new Set(runsOn)]
  if (wanted.length === 0) return new Map()
  const offered = (await listLabelsTaking(db, repo)).map(({ labels, onlineMs }) => ({
    labels: new Set(JSON.parse(labels) as string[]),
    isOnline: isOnline(onlineMs, clock.nowMs()),
  }))
  return new Map(
    wanted.map((text) => {
      const labels = JSON.parse(text) as string[]
      const fit = offered.filter((runner) => labels.every((label) => runner.labels.has(label)))
      return [text, fit.some((runner) => runner.isOnline) ? 'online' : fit.length > 0 ? 'offline' : 'missing']
    }),
  )
}
