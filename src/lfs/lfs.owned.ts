import type { OwnedByRepo } from '../access/contributions/owned.ts'
import { clockOf } from '../db/clock.ts'
import { nowUnix } from '../lib/time.ts'
import { releaseAllOf } from './retention/release.store.ts'

/** Releases the contents of a repository before its deletion. */
export const objectsOfRepo: OwnedByRepo = {
  of: 'repository',
  leave: async (tx, repo) => void (await releaseAllOf(tx, repo.id, nowUnix(clockOf(tx)))),
}
