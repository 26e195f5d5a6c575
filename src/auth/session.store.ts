import type { Db, Tx } from '../db/database.ts'
import { changesRow, hasRow } from '../db/rows.ts'
import type { NewSessionRow, SessionRow } from '../db/tables/sign-in.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { SessionId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export const insertSession = (tx: Tx, values: NewSessionRow): Promise<{ id: SessionId }> =>
  tx.insertInto('session').values(values).returning('id').executeTakeFirstOrThrow()

/** A session with its account. */
export interface SessionOfUser {
  readonly session: Pick<SessionRow, 'id' | 'remember_hash' | 'renewed_unix' | 'authenticated_unix'>
  readonly user: UserRow
}

const sessionsWithUsers = (db: Db) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .selectAll('user')
    .select(['session.id as session_id', 'session.remember_hash', 'session.renewed_unix', 'session.authenticated_unix'])

const split = (
  row: (UserRow & { session_id: SessionId } & Omit<SessionOfUser['session'], 'id'>) | undefined,
): SessionOfUser | undefined => {
  if (!row) return undefined
  const { session_id: id, remember_hash, renewed_unix, authenticated_unix, ...user } = row
  return { session: { id, remember_hash, renewed_unix, authenticated_unix }, user }
}

/** Returns a session that has not ended. */
export const findSession = async (db: Db, secretHash: string, nowUnix: Unix): Promise<SessionOfUser | undefined> =>
  split(
    await sessionsWithUsers(db)
      .where('session.secret_hash', '=', secretHash)
      .where('session.expires_unix', '>', nowUnix)
      .executeTakeFirst(),
  )

/** Returns whether a session lasts. */
export const hasSession = (db: Db, id: SessionId, nowUnix: Unix): Promise<boolean> =>
  hasRow(db.selectFrom('session').where('id', '=', id).where('expires_unix', '>', nowUnix))

/** Returns the session by its current or previous remember secret. */
export const findRemembered = async (db: Db, hash: string, nowUnix: Unix): Promise<SessionOfUser | undefined> =>
  split(
    await sessionsWithUsers(db)
      .where((where) => where.or([where('session.remember_hash', '=', hash), where('session.former_hash', '=', hash)]))
      .where('session.remember_until_unix', '>', nowUnix)
      .executeTakeFirst(),
  )

/** Replaces the secrets of a resumed session; returns false when a concurrent request did so first. */
export const renewSession = (
  tx: Tx,
  id: SessionId,
  rememberHash: string,
  change: Partial<SessionRow>,
): Promise<boolean> =>
  changesRow(tx.updateTable('session').set(change).where('id', '=', id).where('remember_hash', '=', rememberHash))

/** Returns the usable sessions of an account, the last used first. */
export const listSessions = (db: Db, userId: UserId, nowUnix: Unix): Promise<SessionRow[]> =>
  db
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where((where) => where.or([where('expires_unix', '>', nowUnix), where('remember_until_unix', '>', nowUnix)]))
    .orderBy('used_unix', (order) => order.desc())
    .orderBy('id', (order) => order.desc())
    .execute()

/** Deletes all but the newest sessions of an account. */
export const deleteOldSessions = (tx: Tx, userId: UserId, keep: number) =>
  tx
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .where('id', 'not in', (select) =>
      select
        .selectFrom('session')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id', (order) => order.desc())
        .limit(keep),
    )
    .execute()

/** Records the use of sessions and extends them, at most to their maximum age. */
export const updateSessionsUsed = (
  tx: Tx,
  ids: readonly SessionId[],
  usedUnix: Unix,
  { lifetimeSeconds, maxSeconds }: { readonly lifetimeSeconds: number; readonly maxSeconds: number },
) =>
  tx
    .updateTable('session')
    .set((set) => ({
      used_unix: usedUnix,
      expires_unix: set
        .case()
        .when('created_unix', '<', usedUnix + lifetimeSeconds - maxSeconds)
        .then(set('created_unix', '+', maxSeconds))
        .else(usedUnix + lifetimeSeconds)
        .end(),
    }))
    .where('id', 'in', ids)
    .where('used_unix', '<', usedUnix)
    .execute()

/** @returns whether the account had this session */
export const deleteSession = (tx: Tx, userId: UserId, id: SessionId): Promise<boolean> =>
  changesRow(tx.deleteFrom('session').where('id', '=', id).where('user_id', '=', userId))

export const deleteOtherSessions = (tx: Tx, userId: UserId, id: SessionId) =>
  tx.deleteFrom('session').where('user_id', '=', userId).where('id', '!=', id).execute()

export const deleteSessionsOf = (tx: Tx, userId: UserId) =>
  tx.deleteFrom('session').where('user_id', '=', userId).execute()

export const deleteSessionsBefore = (tx: Tx, unix: Unix) =>
  tx.deleteFrom('session').where('expires_unix', '<=', unix).where('remember_until_unix', '<=', unix).execute()

export const updateSessionConfirmed = (tx: Tx, id: SessionId, unix: Unix) =>
  tx.updateTable('session').set({ authenticated_unix: unix }).where('id', '=', id).execute()

export const updateLastLogin = (tx: Tx, id: UserId, unix: Unix, language: string) =>
  tx
    .updateTable('user')
    .set((set) => ({
      last_login_unix: unix,
      language: set.case().when('language', '=', '').then(language).else(set.ref('language')).end(),
    }))
    .where('id', '=', id)
    .execute()
