import type { Viewer } from '../../auth/viewer.ts'
import type { LfsLockRow } from '../../db/tables/lfs.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** Whoever may write may break the lock of somebody else, when they say so (contract, LFS: locks). */
export const mayUnlock = (viewer: Viewer, lock: LfsLockRow, isForced: boolean): Verdict =>
  lock.owner_id === viewer.id || isForced ? allow : deny('the lock belongs to somebody else; only force breaks it')
