import type { RepoCtx } from '../../access/context.ts'
import { failedLineOf } from '../../actions/logs/failed-line.service.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { mapLimited } from '../../lib/map-limited.ts'

/** Most failed jobs of workflows whose line is looked for. */
const maxJobs = 3

const atOnce = 3

/** Returns the lines of logs at which jobs of this repository failed, by the address of their status. */
export async function failedLines(
  ctx: RepoCtx,
  statuses: readonly Pick<CommitStatusRow, 'state' | 'target_url'>[],
): Promise<ReadonlyMap<string, number>> {
  const here = `/${ctx.owner.name}/${ctx.repo.name}/actions/runs/`
  const jobs = statuses.flatMap(({ state, target_url: address }) => {
    if (state !== 'failure' || !address.startsWith(here)) return []
    const [, number, position] = /^(\d{1,9})\/jobs\/(\d{1,9})$/.exec(address.slice(here.length)) ?? []
    return number === undefined ? [] : [{ address, number: Number(number), position: Number(position) }]
  })
  const lines = await mapLimited(jobs.slice(0, maxJobs), atOnce, async ({ address, number, position }) => {
    const line = await failedLineOf(ctx, number, position)
    return line === undefined ? [] : [[address, line] as const]
  })
  return new Map(lines.flat())
}
