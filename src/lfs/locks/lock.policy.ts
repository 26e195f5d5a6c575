import type { Viewer } from '../../auth/viewer.ts'
import type { LfsLockRow } from '../../db/tables/lfs.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/**
 * Returns whether the caller may delete a lock: the owner, and with force anyone with write access (contract, LFS:
 * locks).
 */
export const mayUnlock = (viewer: Viewer, lock: LfsLockRow, isForced: boolean): Verdict =>
  lock.owner_id === viewer.id || isForced
    ? allow
    : deny('lock_of_other', 'the lock belongs to somebody else; only force breaks it')
