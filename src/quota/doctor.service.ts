import type { Services } from '../access/context.ts'
import type { DoctorCheck } from '../access/contributions/doctor.ts'
import { everyRepo } from '../access/repo-scan.store.ts'
import type { UsageSource } from '../access/quota/usage.ts'
import { holdOwners, listUsageOf, loadOwners, setUsage, type RepoUsage } from '../access/quota/usage.store.ts'
import { contributionsOf } from '../access/feature.ts'
import { snapshot, transaction, type Db, type Tx } from '../db/database.ts'
import type { UsageRow } from '../db/tables/usage.ts'
import type { RepoId } from '../lib/ids.ts'

/** Owner ids by repository id. */
type Owners = ReadonlyMap<number, number>

export const usageCheck: DoctorCheck = {
  name: 'usage',
  about: 'the ledger of stored bytes, which quotas use, matches the stored data',
  async *run(services, { fix }) {
    const { usage } = contributionsOf(services)
    for await (const batch of everyRepo(services.db)) {
      const ids = batch.map(({ id }) => id)
      const wrong = await snapshot(services.db, (still) => findWrong(still, usage, ids))
      if (wrong.length === 0) continue
      if (fix) await recountUsage(services, usage, ids)
      for (const what of wrong) yield { what, state: fix ? 'fixed' : 'fixable' }
    }
  },
}

const countAll = async (db: Db | Tx, usage: readonly UsageSource[], repoIds: readonly RepoId[]) =>
  (await Promise.all(usage.map((source) => source.count(db, repoIds)))).flat().filter(({ sizeBytes }) => sizeBytes > 0)

const keyOf = (repoId: number | null, kind: string): string => `${repoId} ${kind}`

/**
 * Returns a message for each wrong or missing row of the ledger. Skips kinds without a source.
 * @param still a snapshot, so that concurrent measurements do not look like errors
 */
async function findWrong(still: Db, usage: readonly UsageSource[], ids: readonly RepoId[]): Promise<string[]> {
  const owners: Owners = await loadOwners(still, ids)
  const counted = await countAll(still, usage, ids)
  const kinds = new Set<string>(usage.flatMap((source) => source.kinds))
  const written = (await listUsageOf(still, ids)).filter((row) => kinds.has(row.kind))
  const rightful = new Map<string, RepoUsage>(counted.map((each) => [keyOf(each.repoId, each.kind), each]))
  const known = new Set(written.map((row) => keyOf(row.repo_id, row.kind)))
  return [
    ...written.flatMap((row) => problemOf(row, rightful.get(keyOf(row.repo_id, row.kind)), owners)),
    ...counted
      .filter(({ repoId, kind }) => !known.has(keyOf(repoId, kind)))
      .map(
        ({ repoId, kind, sizeBytes }) => `repository ${repoId}: ${kind} is missing and should be ${sizeBytes} bytes`,
      ),
  ]
}

function problemOf(row: UsageRow, rightful: RepoUsage | undefined, owners: Owners): string[] {
  const should = rightful?.sizeBytes ?? 0
  if (row.size_bytes !== should) {
    return [`repository ${row.repo_id}: ${row.kind} is ${row.size_bytes} and should be ${should} bytes`]
  }
  const owner = owners.get(row.repo_id ?? 0)
  if (row.owner_id === owner) return []
  return [`repository ${row.repo_id}: ${row.kind} is charged to account ${row.owner_id} and should be to ${owner}`]
}

/** Counts the usage of repositories and writes it in one transaction. */
const recountUsage = ({ db }: Services, usage: readonly UsageSource[], ids: readonly RepoId[]): Promise<void> =>
  transaction(db, async (tx) => {
    // Locks before the count: a concurrent write waits and then adds to the new numbers.
    await holdOwners(tx, ids)
    const kinds = usage.flatMap((source) => source.kinds)
    await setUsage(tx, ids, kinds, await countAll(tx, usage, ids))
  })
