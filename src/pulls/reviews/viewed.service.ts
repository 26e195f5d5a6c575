import type { RepoCtx, SignedInCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { NotFound } from '../../lib/errors.ts'
import type { IssueId, Oid } from '../../lib/ids.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import type { PullPair } from '../pull.store.ts'
import { listReviewedBefore } from './review.store.ts'
import { deleteViewed, listViewed, upsertViewed } from './viewed.store.ts'

/** Returns the contents that the viewer has marked as viewed, by path; a file with another content is not viewed. */
export const getViewed = async (ctx: RepoCtx, { pull }: PullPair): Promise<ReadonlyMap<string, Oid>> =>
  ctx.viewer === undefined ? new Map() : listViewed(ctx.db, pull.id, ctx.viewer.id)

/** How many of the changed files the viewer has viewed. */
export interface ViewedProgress {
  readonly viewed: number
  readonly total: number
}

/**
 * Marks a changed file as viewed by the caller, or takes the mark back. Only the caller sees marks.
 * @param content the blob that the caller has seen
 * @throws NotFound when the pull request does not change the file, or the file has another content by now
 */
export async function setViewed(
  ctx: SignedInRepoCtx,
  pair: PullPair,
  file: { readonly path: string; readonly content: string },
  isViewed: boolean,
): Promise<ViewedProgress> {
  const { pull } = pair
  const changes = await ctx.git.diffFiles(ctx.repo.git_key, { base: mergeBaseOf(pull), head: pull.synced_oid })
  const contents = new Map(changes.map(({ path, newOid }) => [path, newOid]))
  const content = contents.get(file.path)
  if (isViewed && content !== file.content) throw new NotFound('the file has changed meanwhile', 'file_changed')
  await transaction(ctx.db, async (tx) => {
    if (!isViewed || content === undefined) return deleteViewed(tx, pull.id, ctx.viewer.id, file.path)
    return upsertViewed(tx, { pull_id: pull.id, user_id: ctx.viewer.id, path: file.path, content_oid: content })
  })
  return progressOf(contents, await getViewed(ctx, pair))
}

/** @param contents the new side of all changed files, by path */
export const progressOf = (contents: ReadonlyMap<string, Oid>, viewed: ReadonlyMap<string, Oid>): ViewedProgress => ({
  viewed: [...viewed].filter(([path, content]) => contents.get(path) === content).length,
  total: contents.size,
})

/** Returns which pull requests, by issue, have another head than the one that the caller reviewed last. */
export const getReviewedBefore = (
  { db, viewer }: SignedInCtx,
  issueIds: readonly IssueId[],
): Promise<ReadonlySet<IssueId>> => listReviewedBefore(db, viewer.id, issueIds)
