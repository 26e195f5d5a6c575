import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { ReactionRow } from '../../db/tables/issue-details.ts'
import type { CommentId, IssueId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** The target of a reaction: the text of an issue, or a comment. */
export interface ReactionTarget {
  readonly issueId: IssueId
  /** 0 for the text of the issue. */
  readonly commentId: CommentId | 0
}

const reactionsTo = (db: Db, { issueId, commentId }: ReactionTarget) =>
  db.selectFrom('reaction').where('issue_id', '=', issueId).where('comment_id', '=', commentId)

/** Returns one page of reactions, oldest first. */
export const listReactions = (db: Db, target: ReactionTarget, page: Page): Promise<ReactionRow[]> =>
  reactionsTo(db, target).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

/** Returns the reactions to several texts of an issue, oldest first; 0 stands for the text of the issue. */
export const listReactionsToTexts = (
  db: Db,
  issueId: IssueId,
  commentIds: readonly (CommentId | 0)[],
): Promise<ReactionRow[]> =>
  commentIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('reaction')
        .selectAll()
        .where('issue_id', '=', issueId)
        .where('comment_id', 'in', commentIds)
        .orderBy('id')
        .execute()

export const countReactions = (db: Db, target: ReactionTarget): Promise<number> => countRows(reactionsTo(db, target))

export const findReaction = (
  tx: Tx,
  target: ReactionTarget,
  userId: UserId,
  content: string,
): Promise<ReactionRow | undefined> =>
  reactionsTo(tx, target).selectAll().where('user_id', '=', userId).where('content', '=', content).executeTakeFirst()

/** @returns undefined when the account has the same reaction already */
export const insertReaction = (
  tx: Tx,
  values: Omit<ReactionRow, 'id' | 'original_author'>,
): Promise<ReactionRow | undefined> =>
  tx
    .insertInto('reaction')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const deleteReaction = (tx: Tx, { issueId, commentId }: ReactionTarget, userId: UserId, content: string) =>
  tx
    .deleteFrom('reaction')
    .where('issue_id', '=', issueId)
    .where('comment_id', '=', commentId)
    .where('user_id', '=', userId)
    .where('content', '=', content)
    .execute()
