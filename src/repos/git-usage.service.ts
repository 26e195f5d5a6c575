import type { UsageKind } from '../access/quota/quota.rules.ts'
import type { Reservation } from '../access/quota/reservation.service.ts'
import type { UsageSource } from '../access/quota/usage.ts'
import { setUsage, type RepoUsage } from '../access/quota/usage.store.ts'
import type { Tx } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { loadRepos } from './repo.store.ts'

type Measured = Pick<RepoRow, 'id' | 'is_private' | 'git_size_bytes'>

const kinds: readonly UsageKind[] = ['repos:public', 'repos:private']

const usageOf = (repo: Measured): RepoUsage => ({
  repoId: repo.id,
  kind: repo.is_private ? 'repos:private' : 'repos:public',
  sizeBytes: repo.git_size_bytes,
})

/** Writes the git sizes of repository rows to the usage ledger. */
export const recordGitUsage = (tx: Tx, repos: readonly Measured[]): Promise<void> =>
  setUsage(
    tx,
    repos.map(({ id }) => id),
    kinds,
    repos.map(usageOf),
  )

/** What a new repository charges to its owner. */
export const ownCharge = (owner: Reservation['owner'], repo: Measured): Omit<Reservation, 'charged'> => {
  const { kind, sizeBytes } = usageOf(repo)
  return { owner, kind, subject: 'size:repos:all', sizeBytes }
}

/** Usage of git data, by the last measured size. */
export const gitUsage: UsageSource = {
  kinds,
  count: async (db, repoIds) => [...(await loadRepos(db, repoIds)).values()].map(usageOf),
}
