import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { RefJournalRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import { nowUnix } from '../../lib/time.ts'
import { settleRow } from './ref-door.service.ts'
import { deleteTombstones, findOldestJournalId, listLeftovers, loadJournalRepos } from './ref-journal.store.ts'

/** Age at which an entry is settled even if its process lives, in seconds; longer than any change takes. */
const longestChangeSeconds = 900

/** Entries per batch. */
const settleBatch = 500

/** Entries of dead processes, or all entries when no other process runs. */
export const listEntriesToSettle = (
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
 * Settles entries of dead processes, or all entries when this is the only process. An entry that fails is logged and
 * kept; `ingot doctor` reports it.
 * @returns the number of settled entries
 */
export async function settleLeftovers(services: Services, which: 'all' | 'abandoned'): Promise<number> {
  let settled = 0
  let afterId = 0
  for (;;) {
    const rows = await listEntriesToSettle(services, which, settleBatch, afterId)
    const repos = await loadJournalRepos(services.db, pluck(rows, 'repo_id'))
    for (const row of rows) {
      const repo = repos.get(row.repo_id)
      if (!repo) continue
      try {
        await settleRow(services, row, repo)
        settled += 1
      } catch (error) {
        services.log('error', 'settling a change of references failed', {
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

/**
 * Deletes the rows of deleted branches of this age and of deleted tags, unless an unsettled change may restore them.
 */
export async function forgetDeletedRefs(services: Services, olderThanSeconds: number): Promise<void> {
  // Read first: a later change starts from the present rows.
  const oldest = await findOldestJournalId(services.db)
  const beforeUnix = nowUnix(services.clock) - olderThanSeconds
  await transaction(services.db, (tx) => deleteTombstones(tx, beforeUnix, oldest))
}
