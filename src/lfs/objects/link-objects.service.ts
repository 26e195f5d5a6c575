import type { Services } from '../../access/context.ts'
import { viewerAs } from '../../auth/viewer.ts'
import { transaction } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Oid, RepoId, UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { findUserById } from '../../users/user.store.ts'
import { giveObjects } from './object.service.ts'
import { hasObjects, holdBlobs, listObjects, listReadableObjects, type StoredObject } from './object.store.ts'
import type { Pointer } from './pointer.rules.ts'
import { readPointers } from './references.service.ts'

/** Pointers per lookup. */
const batch = 500

/** A range of commits that came without an LFS client. */
export interface CommitRange {
  readonly from: readonly Oid[]
  readonly not: readonly Oid[]
}

/** Returns which objects may be linked to a repository. */
type Source = (oids: readonly string[]) => Promise<StoredObject[]>

/** Links the objects of a commit range that another repository has, as for a merged pull request. */
export async function linkFromRepo(
  services: Services,
  repo: RepoRow,
  fromRepoId: RepoId,
  range: CommitRange,
  signal: AbortSignal,
): Promise<void> {
  if (!(await hasObjects(services.db, fromRepoId))) return
  await link(services, repo, range, signal, (oids) => listObjects(services.db, fromRepoId, oids))
}

/** Links the objects of a commit range that a person may read elsewhere, as for an updated fork. */
export async function linkReadable(
  services: Services,
  repo: RepoRow,
  doerId: UserId,
  range: CommitRange,
  signal: AbortSignal,
): Promise<void> {
  const doer = await findUserById(services.db, doerId)
  if (!doer) return
  await link(services, repo, range, signal, (oids) => listReadableObjects(services.db, viewerAs(doer), oids))
}

async function link(
  services: Services,
  repo: RepoRow,
  range: CommitRange,
  signal: AbortSignal,
  source: Source,
): Promise<void> {
  let pointers = new Map<string, Pointer>()
  const give = async (): Promise<void> => {
    await linkPointers(services, repo, pointers, source)
    pointers = new Map()
  }
  for await (const pointer of readPointers(services.git, repo, { ...range, signal })) {
    pointers.set(pointer.oid, pointer)
    if (pointers.size >= batch) await give()
  }
  await give()
}

async function linkPointers(
  services: Services,
  repo: RepoRow,
  pointers: ReadonlyMap<string, Pointer>,
  source: Source,
): Promise<void> {
  const { db, clock } = services
  const owned = new Set((await listObjects(db, repo.id, [...pointers.keys()])).map(({ oid }) => oid))
  const found = await source([...pointers.keys()].filter((oid) => !owned.has(oid)))
  const oids = found.filter((object) => pointers.get(object.oid)?.sizeBytes === object.size_bytes).map(({ oid }) => oid)
  if (oids.length === 0) return
  await transaction(db, async (tx) => giveObjects(tx, repo.id, await holdBlobs(tx, oids), nowUnix(clock)))
}
