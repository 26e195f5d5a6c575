import type { Services } from '../access/context.ts'
import type { DoctorCheck } from '../access/doctor.ts'
import { everyRepo } from '../access/repo-scan.store.ts'
import type { UsageSource } from '../access/usage.ts'
import { listUsageOf, setUsage, type RepoUsage } from '../access/usage.store.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { UsageRow } from '../db/tables/usage.ts'

type Repos = ReadonlyMap<number, Pick<RepoRow, 'id' | 'owner_id'>>

export const usageCheck: DoctorCheck = {
  name: 'usage',
  about: 'the ledger of stored bytes, which quotas are measured by, says what can be counted',
  async *run(services, { fix }) {
    const { usage } = services.parts
    for await (const batch of everyRepo(services.db)) {
      const repos: Repos = new Map(batch.map((repo) => [repo.id, repo]))
      const wrong = await findWrong(services.db, usage, repos)
      if (wrong.length === 0) continue
      if (fix) await recountUsage(services, usage, batch)
      for (const what of wrong) yield { what, state: fix ? 'fixed' : 'fixable' }
    }
  },
}

const countAll = async (db: Db | Tx, usage: readonly UsageSource[], repoIds: readonly RepoRow['id'][]) =>
  (await Promise.all(usage.map((source) => source.count(db, repoIds)))).flat().filter(({ sizeBytes }) => sizeBytes > 0)

const keyOf = (repoId: number | null, kind: string): string => `${repoId} ${kind}`

/** What the ledger says wrongly of repositories, one line each. Kinds that nobody counts are passed over. */
async function findWrong(db: Db, usage: readonly UsageSource[], repos: Repos): Promise<string[]> {
  const ids = [...repos.values()].map(({ id }) => id)
  const counted = await countAll(db, usage, ids)
  const kinds = new Set<string>(usage.flatMap((source) => source.kinds))
  const written = (await listUsageOf(db, ids)).filter((row) => kinds.has(row.kind))
  const rightful = new Map<string, RepoUsage>(counted.map((each) => [keyOf(each.repoId, each.kind), each]))
  const known = new Set(written.map((row) => keyOf(row.repo_id, row.kind)))
  return [
    ...written.flatMap((row) => problemOf(row, rightful.get(keyOf(row.repo_id, row.kind)), repos)),
    ...counted
      .filter(({ repoId, kind }) => !known.has(keyOf(repoId, kind)))
      .map(
        ({ repoId, kind, sizeBytes }) => `repository ${repoId}: ${kind} is missing and should be ${sizeBytes} bytes`,
      ),
  ]
}

function problemOf(row: UsageRow, rightful: RepoUsage | undefined, repos: Repos): string[] {
  const should = rightful?.sizeBytes ?? 0
  if (row.size_bytes !== should) {
    return [`repository ${row.repo_id}: ${row.kind} is ${row.size_bytes} and should be ${should} bytes`]
  }
  const owner = repos.get(row.repo_id ?? 0)?.owner_id
  if (row.owner_id === owner) return []
  return [`repository ${row.repo_id}: ${row.kind} is charged to account ${row.owner_id} and should be to ${owner}`]
}

/** Writes what is counted, in the transaction that counts. */
const recountUsage = ({ db }: Services, usage: readonly UsageSource[], repos: readonly RepoRow[]): Promise<void> =>
  transaction(db, async (tx) => {
    const ids = repos.map(({ id }) => id)
    const kinds = usage.flatMap((source) => source.kinds)
    await setUsage(tx, ids, kinds, await countAll(tx, usage, ids))
  })
