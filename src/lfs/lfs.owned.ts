import type { OwnedByRepo } from '../access/contributions/owned.ts'
import { clockOf } from '../db/clock.ts'
import { nowUnix } from '../lib/time.ts'
import { releaseAllOf } from './retention/release.store.ts'

/** Contents that a repository had may be nobody's when it goes. */
export const objectsOfRepo: OwnedByRepo = {
  of: 'repository',
  leave: async (tx, repo) => void (await releaseAllOf(tx, repo.id, nowUnix(clockOf(tx)))),
}
