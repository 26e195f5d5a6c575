import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { RefJournalRow } from '../../db/tables/repositories.ts'
import { nowUnix } from '../../lib/time.ts'
import { settleRow } from './ref-door.service.ts'
import { deleteTombstones, findOldestJournalId, listLeftovers, loadJournalRepos } from './ref-journal.store.ts'

/**
 * Age from which an unfinished change is settled even if its process lives or is unknown, in seconds: longer than any
 * change takes.
 */
const longestChangeSeconds = 900

/** Entries that are settled in one round after a start or by the clock. */
const settleBatch = 500

/** Entries that processes which are gone left behind; `all` where no other process is at work. */
export const listLeft = (
  services: Services,
  which: 'all' | 'abandoned',
  limit: number,
  afterId = 0,
): Promise<RefJournalRow[]> =>
  listLeftovers(
    services.db,
    which === 'all' ? which : { orUnix: nowUnix(services.clock) - longestChangeSeconds },
    afterId,
    limit,
  )

/**
 * Settles what processes that are gone left behind; `all` when this is the only process and it just started. A repository
 * that cannot be read keeps its entries, is named in the log and found by `ingot doctor`; the forge starts all the same.
 * @returns how many entries were settled
 */
export async function settleLeftovers(services: Services, which: 'all' | 'abandoned'): Promise<number> {
  let settled = 0
  let afterId = 0
  for (;;) {
    const rows = await listLeft(services, which, settleBatch, afterId)
    const repos = await loadJournalRepos(
      services.db,
      rows.map((row) => row.repo_id),
    )
    for (const row of rows) {
      const repo = repos.get(row.repo_id)
      if (!repo) continue
      try {
        await settleRow(services, row, repo)
        settled += 1
      } catch (error) {
        services.log('error', 'a change of references could not be settled', {
          error,
          repoId: repo.id,
          journalId: row.id,
        })
      }
    }
    if (rows.length < settleBatch) return settled
    afterId = (rows.at(-1) as (typeof rows)[number]).id
  }
}

/** Forgets branches that were deleted so long ago, and tags, unless an unfinished change may bring them back. */
export async function forgetDeletedRefs(services: Services, olderThanSeconds: number): Promise<void> {
  // Looked up before: a change that is begun later names what is there then.
  const oldest = await findOldestJournalId(services.db)
  const beforeUnix = nowUnix(services.clock) - olderThanSeconds
  await transaction(services.db, (tx) => deleteTombstones(tx, beforeUnix, oldest))
}
