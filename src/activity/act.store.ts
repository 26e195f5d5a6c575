import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../db/database.ts'
import { rowLock } from '../db/portable.ts'
import { countChanges, hasRow } from '../db/rows.ts'
import type { ActKind, ActUnit } from '../db/tables/activity.ts'
import type { CommentId, EventId, IssueId, ReleaseId, RepoId, ReviewId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** A comment by its id, the last entry of a kind in the issue's timeline, or the comment of a review. */
export type ActComment = CommentId | { readonly lastOf: 'close' | 'reopen' } | { readonly ofReview: ReviewId }

/** A new act. */
export interface NewAct {
  readonly kind: ActKind
  readonly unit: ActUnit
  readonly issueId?: IssueId
  readonly comment?: ActComment
  readonly releaseId?: ReleaseId
  readonly refName?: string
  readonly content?: string
}

/** Actor, repository, time, and the event that makes the insert idempotent. */
export interface ActScene {
  readonly doerId: UserId
  readonly repoId: RepoId
  readonly atUnix: Unix
  readonly eventId?: EventId | undefined
}

function commentOf({ comment, issueId }: NewAct): RawBuilder<unknown> {
  if (comment === undefined) return sql`cast(null as bigint)`
  if (typeof comment === 'number') return sql`cast(${comment} as bigint)`
  const which =
    'lastOf' in comment
      ? sql`type = ${comment.lastOf}`
      : sql`type = 'review' and review_id = cast(${comment.ofReview} as bigint)`
  return sql`(select max(id) from comment where issue_id = cast(${issueId ?? null} as bigint) and ${which})`
}

/**
 * Inserts acts, each once for its event; a second insertion replaces the content. Skips acts of system accounts, which have no row, and of deleted repositories.
 */
export async function insertActs(
  tx: Tx,
  { doerId, repoId, atUnix, eventId }: ActScene,
  acts: readonly NewAct[],
): Promise<void> {
  if (acts.length === 0) return
  const values = acts.map(
    (act, index) => sql`(
      cast(${act.kind} as text), cast(${act.unit} as text), cast(${act.issueId ?? null} as bigint), ${commentOf(act)},
      cast(${act.releaseId ?? null} as bigint), cast(${act.refName ?? ''} as text), cast(${act.content ?? ''} as text),
      cast(${index} as integer))`,
  )
  // The lock orders the act and a concurrent transfer, so that the act has the current owner.
  await sql`
    insert into activity (actor_id, repo_id, owner_id, kind, unit, issue_id, comment_id, release_id, ref_name, content,
      created_unix, event_id, ordinal)
    select "user".id, repo.id, repo.owner_id, act.column1, act.column2, act.column3, act.column4, act.column5, act.column6,
      act.column7, cast(${atUnix} as bigint), cast(${eventId ?? null} as bigint), act.column8
    from "user" cross join repo cross join (values ${sql.join(values)}) as act
    where "user".id = ${doerId} and repo.id = ${repoId}
    ${rowLock(tx, 'key share of repo')}
    on conflict (event_id, ordinal) where event_id is not null do update set content = excluded.content`.execute(tx)
}

/** Moves the acts of a repository to its new owner. */
export const moveActs = async (tx: Tx, repoId: RepoId): Promise<void> => {
  await tx
    .updateTable('activity')
    .set({ owner_id: sql<UserId>`(select repo.owner_id from repo where repo.id = ${repoId})` })
    .where('repo_id', '=', repoId)
    .execute()
}

/** Returns whether a pull request is merged. The merge is a separate act. */
export const isMergedPull = (tx: Tx, id: IssueId): Promise<boolean> =>
  hasRow(tx.selectFrom('issue').where('id', '=', id).where('merged_unix', '>', 0))

/**
 * Deletes up to `limit` of the oldest acts before a time.
 * @returns the number of deleted acts
 */
export async function deleteOldActs(tx: Tx, before: Unix, limit: number): Promise<number> {
  return countChanges(
    tx
      .deleteFrom('activity')
      .where('id', 'in', (from) =>
        from
          .selectFrom('activity')
          .select('id')
          .where('created_unix', '<', before)
          .orderBy('created_unix')
          .limit(limit),
      ),
  )
}
