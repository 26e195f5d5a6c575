import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows, hasRow } from '../../db/rows.ts'
import type { InvitationRow, NewInvitationRow } from '../../db/tables/invitations.ts'
import type { InvitationId, RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import type { InvitationHolder } from './invitation.rules.ts'

export const insertInvitation = (tx: Tx, values: NewInvitationRow): Promise<InvitationRow> =>
  tx.insertInto('invitation').values(values).returningAll().executeTakeFirstOrThrow()

export const findInvitation = (db: Db | Tx, id: InvitationId): Promise<InvitationRow | undefined> =>
  db.selectFrom('invitation').selectAll().where('id', '=', id).executeTakeFirst()

export const findInvitationByHash = (db: Db, tokenHash: string): Promise<InvitationRow | undefined> =>
  db.selectFrom('invitation').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()

const invitationsOf = (db: Db | Tx, holder: InvitationHolder) =>
  'repoId' in holder
    ? db.selectFrom('invitation').where('repo_id', '=', holder.repoId)
    : 'teamId' in holder
      ? db.selectFrom('invitation').where('team_id', '=', holder.teamId)
      : db
          .selectFrom('invitation')
          .where('team_id', 'in', (select) =>
            select.selectFrom('team').select('team.id').where('team.org_id', '=', holder.orgId),
          )

const pendingOf = (db: Db | Tx, holder: InvitationHolder, nowUnix: Unix) =>
  invitationsOf(db, holder).where('ended_unix', 'is', null).where('expires_unix', '>', nowUnix)

/** Lists the invitations that can be accepted, newest first. */
export const listPending = (
  db: Db,
  holder: InvitationHolder,
  nowUnix: Unix,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<InvitationRow[]> =>
  pendingOf(db, holder, nowUnix)
    .selectAll()
    .orderBy('id', (order) => order.desc())
    .limit(limit)
    .offset(offset)
    .execute()

/** Lists the answered invitations, newest first. */
export const listAnswered = (db: Db, holder: InvitationHolder, limit: number): Promise<InvitationRow[]> =>
  invitationsOf(db, holder)
    .selectAll()
    .where('outcome', 'in', ['accepted', 'declined'])
    .orderBy('id', (order) => order.desc())
    .limit(limit)
    .execute()

export const countPending = (db: Db | Tx, holder: InvitationHolder, nowUnix: Unix): Promise<number> =>
  countRows(pendingOf(db, holder, nowUnix))

export const hasPendingFor = (tx: Tx, holder: InvitationHolder, lowerEmail: string, nowUnix: Unix): Promise<boolean> =>
  hasRow(pendingOf(tx, holder, nowUnix).where('lower_email', '=', lowerEmail))

/** Locks a repository or an organization until the transaction ends, so that parallel invitations are counted. */
export const lockHolder = (tx: Tx, holder: { readonly repoId: RepoId } | { readonly orgId: UserId }) =>
  'repoId' in holder
    ? tx.selectFrom('repo').select('id').where('id', '=', holder.repoId).forUpdate().execute()
    : tx.selectFrom('user').select('id').where('id', '=', holder.orgId).forUpdate().execute()

/** Ends an invitation; returns false when it has ended or expired. */
export const endInvitation = (
  tx: Tx,
  id: InvitationId,
  {
    outcome,
    nowUnix,
    acceptedById,
  }: {
    readonly outcome: 'accepted' | 'declined' | 'revoked'
    readonly nowUnix: Unix
    readonly acceptedById: UserId | null
  },
): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('invitation')
      .set({ outcome, ended_unix: nowUnix, accepted_by_id: acceptedById })
      .where('id', '=', id)
      .where('ended_unix', 'is', null)
      .where('expires_unix', '>', nowUnix),
  )

/** Deletes the invitations that expired before a time. */
export const deleteInvitationsBefore = (tx: Tx, expiredUnix: Unix) =>
  tx.deleteFrom('invitation').where('expires_unix', '<', expiredUnix).execute()

/** Deletes the invitations to the confirmed addresses of an account. */
export async function deleteInvitationsTo(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .deleteFrom('invitation')
    .where('lower_email', 'in', (select) =>
      select
        .selectFrom('email')
        .select('email.lower_email')
        .where('email.user_id', '=', userId)
        .where('is_activated', '=', true),
    )
    .execute()
}
