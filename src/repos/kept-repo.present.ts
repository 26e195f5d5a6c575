import type { Ctx } from '../access/context.ts'
import { perApplication } from '../access/per-application.ts'
import { encodeOnce } from '../lib/encode-once.ts'
import { presentPermission, presentRepo, type RepoView } from './repo.present.ts'
import type { Repository } from './repo.schemas.ts'

/** A presented repository and the rows that it comes from. */
interface KeptRecord {
  readonly rows: readonly object[]
  readonly record: Repository
}

/** Approximate size of an entry: the record, its encoding and its rows. */
const entryBytes = 12_000

const memory = perApplication((caches) =>
  // Key: the repository and the viewer's rights.
  caches.open<string, KeptRecord>('repositories', {
    sizeOf: ({ record }) => entryBytes + record.description.length,
  }),
)

/**
 * Returns the encoded record of one repository. Each request reads the rows; the last encoding is reused while all
 * rows are equal.
 */
export async function presentKeptRepo(
  ctx: Pick<Ctx, 'config' | 'db' | 'viewer' | 'caches'> & RepoView,
): Promise<Repository> {
  const { repo, owner, units, rights } = ctx
  const view = { repo, owner, units, rights }
  // These records depend on further rows.
  if (repo.is_fork || repo.has_transfer || repo.is_mirror) return presentRepo(ctx, view)
  const { admin, push, pull } = presentPermission(rights)
  const key = `${repo.id} ${admin} ${push} ${pull}`
  const rows = [repo, owner, ...units]
  const kept = memory(ctx).get(key)
  if (kept && areSame(kept.rows, rows)) return kept.record
  const record = encodeOnce(await presentRepo(ctx, view))
  memory(ctx).set(key, { rows, record })
  return record
}

const areSame = (before: readonly object[], now: readonly object[]): boolean =>
  before.length === now.length && before.every((row, index) => isSame(row, now[index] as object))

function isSame(before: object, now: object): boolean {
  for (const column in before) {
    if (before[column as keyof object] !== now[column as keyof object]) return false
  }
  return true
}
