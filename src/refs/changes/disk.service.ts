import type { Services } from '../../access/context.ts'
import type { Oid, UserId } from '../../lib/ids.ts'
import { inParts } from '../../lib/in-parts.ts'
import { isZeroOid, zeroOid } from '../../lib/refs.ts'
import type { GitRepository } from '../git-repository.ts'
import { moveEach, type RefChange } from './ref-door.service.ts'
import { loadRefs } from './ref.store.ts'

/** Differences of two sets of references by full name. */
export function differences(
  before: ReadonlyMap<string, Oid>,
  after: ReadonlyMap<string, Oid>,
  { objectFormat }: Pick<GitRepository, 'objectFormat'>,
): RefChange[] {
  const none = zeroOid(objectFormat)
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((ref) => {
    const change = { ref, old: before.get(ref) ?? none, new: after.get(ref) ?? none }
    return change.old === change.new ? [] : [change]
  })
}

/** What differs on the disk from the references of the instance: somebody moved references there. */
export async function changesOnDisk(services: Services, repository: GitRepository): Promise<RefChange[]> {
  const { refs } = await services.git.readCopy(repository.gitKey)
  const present = new Map(refs.map(({ name, oid }) => [name, oid]))
  return differences(await loadRefs(services.db, repository), present, repository)
}

/** References in one change. */
const movedTogether = 5000

/** Makes the references on the disk those of the instance, like any change: pull requests, webhooks and search follow it. */
export async function takeFromDisk(services: Services, repository: GitRepository, doerId: UserId): Promise<void> {
  const changes = await changesOnDisk(services, repository)
  // Deleted ones make room for others.
  const ordered = [...changes.filter((each) => isZeroOid(each.new)), ...changes.filter((each) => !isZeroOid(each.new))]
  for (const step of inParts(ordered, movedTogether)) {
    await moveEach(services, repository, step, { doerId, via: 'internal' })
  }
}
