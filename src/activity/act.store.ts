import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../db/database.ts'
import { rowLock } from '../db/portable.ts'
import type { ActKind, ActUnit } from '../db/tables/activity.ts'
import type { CommentId, EventId, IssueId, ReleaseId, RepoId, ReviewId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** A comment by its id, or the last entry of a kind in the timeline of the issue. */
export type ActComment = CommentId | { readonly lastOf: 'close' | 'reopen' } | { readonly ofReview: ReviewId }

/** An act that is to be written down. */
export interface NewAct {
  readonly kind: ActKind
  readonly unit: ActUnit
  readonly issueId?: IssueId
  readonly comment?: ActComment
  readonly releaseId?: ReleaseId
  readonly refName?: string
  readonly content?: string
}

/** Who did it where and when, and the event that tells one run from another. */
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
 * Writes acts down, each once for its event. Nothing is written of what an account does that is none of a person or
 * organization, such as the one of workflows, and of repositories that are gone.
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
  // A transfer waits until the act is there, or the act for the transfer: its owner is the one of then.
  await sql`
    insert into activity (actor_id, repo_id, owner_id, kind, unit, issue_id, comment_id, release_id, ref_name, content,
      created_unix, event_id, ordinal)
    select "user".id, repo.id, repo.owner_id, act.column1, act.column2, act.column3, act.column4, act.column5, act.column6,
      act.column7, cast(${atUnix} as bigint), cast(${eventId ?? null} as bigint), act.column8
    from "user" cross join repo cross join (values ${sql.join(values)}) as act
    where "user".id = ${doerId} and repo.id = ${repoId}
    ${rowLock(tx, 'key share of repo')}
    on conflict do nothing`.execute(tx)
}

/** The acts in a repository follow it to its new owner. */
export const moveActs = async (tx: Tx, repoId: RepoId): Promise<void> => {
  await tx
    .updateTable('activity')
    .set({ owner_id: sql<UserId>`(select repo.owner_id from repo where repo.id = ${repoId})` })
    .where('repo_id', '=', repoId)
    .execute()
}

/** Whether a closed pull request was closed by its merge, which is an act of its own. */
export const isMergedPull = async (tx: Tx, id: IssueId): Promise<boolean> =>
  (await tx.selectFrom('issue').select('id').where('id', '=', id).where('merged_unix', '>', 0).executeTakeFirst()) !==
  undefined

/**
 * Deletes some of the oldest acts from before a time.
 * @returns how many
 */
export async function deleteOldActs(tx: Tx, before: Unix, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('activity')
    .where('id', 'in', (from) =>
      from.selectFrom('activity').select('id').where('created_unix', '<', before).orderBy('created_unix').limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
