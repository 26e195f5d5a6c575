import { sql, type SqlBool } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { NewTwoFactorRow, TwoFactorRow } from '../db/tables/sign-in.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export const findTwoFactor = (db: Db | Tx, userId: UserId): Promise<TwoFactorRow | undefined> =>
  db.selectFrom('two_factor').selectAll().where('user_id', '=', userId).executeTakeFirst()

export const insertTwoFactor = (tx: Tx, values: NewTwoFactorRow) => tx.insertInto('two_factor').values(values).execute()

export const deleteTwoFactor = (tx: Tx, userId: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('two_factor').where('user_id', '=', userId))

export const updateScratch = (tx: Tx, userId: UserId, scratchHash: string) =>
  tx.updateTable('two_factor').set({ scratch_hash: scratchHash }).where('user_id', '=', userId).execute()

/** Adds codes to an account that has only passkeys; returns false for any other. */
export const addCodes = (
  tx: Tx,
  userId: UserId,
  codes: Pick<TwoFactorRow, 'sealed' | 'scratch_hash' | 'last_step'>,
): Promise<boolean> =>
  changesRow(tx.updateTable('two_factor').set(codes).where('user_id', '=', userId).where('sealed', '=', ''))

/** Removes the codes of an account that also has passkeys; returns false when it has no codes. */
export const removeCodes = (tx: Tx, userId: UserId): Promise<boolean> =>
  changesRow(tx.updateTable('two_factor').set({ sealed: '' }).where('user_id', '=', userId).where('sealed', '!=', ''))

export const deleteWithoutCodes = (tx: Tx, userId: UserId) =>
  tx.deleteFrom('two_factor').where('user_id', '=', userId).where('sealed', '=', '').execute()

/** The limit of wrong codes: their number, and the time after which they count no more. */
export interface FailureLimit {
  readonly maxFailures: number
  readonly sinceUnix: Unix
}

/** Concurrent attempts learn no more than sequential ones: those that others failed meanwhile count. */
const isBelow = ({ maxFailures, sinceUnix }: FailureLimit) =>
  sql<SqlBool>`(failures < ${maxFailures} or failed_unix <= ${sinceUnix})`

/** Uses up a time step; returns false when it or a later one was used, or after too many failures. */
export const takeStep = (tx: Tx, userId: UserId, step: number, limit: FailureLimit): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('two_factor')
      .set({ last_step: step, failures: 0 })
      .where('user_id', '=', userId)
      .where('last_step', '<', step)
      .where(isBelow(limit)),
  )

/** Uses up the scratch code; returns false when it does not match, or after too many failures. */
export const takeScratch = (tx: Tx, userId: UserId, scratchHash: string, limit: FailureLimit): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('two_factor')
      .set({ scratch_hash: '', failures: 0 })
      .where('user_id', '=', userId)
      .where('scratch_hash', '=', scratchHash)
      .where('scratch_hash', '!=', '')
      .where(isBelow(limit)),
  )

/** Counts a wrong code, starting at one when the last failure is old. */
export const countFailure = (tx: Tx, userId: UserId, nowUnix: Unix, sinceUnix: Unix) =>
  tx
    .updateTable('two_factor')
    .set((set) => ({
      failures: set
        .case()
        .when('failed_unix', '<', sinceUnix)
        .then(1)
        .else(set('failures', '+', 1))
        .end(),
      failed_unix: set.case().when('failed_unix', '<', sinceUnix).then(nowUnix).else(set.ref('failed_unix')).end(),
    }))
    .where('user_id', '=', userId)
    .execute()
