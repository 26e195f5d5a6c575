import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import type { PullPair } from '../pull.store.ts'
import { deleteViewed, listViewed, upsertViewed } from './viewed.store.ts'

/** Returns the contents that the viewer has marked as viewed, by path; a file with another content is not viewed. */
export const getViewed = async (ctx: RepoCtx, { pull }: PullPair): Promise<ReadonlyMap<string, Oid>> =>
  ctx.viewer === undefined ? new Map() : listViewed(ctx.db, pull.id, ctx.viewer.id)

/**
 * Marks a changed file as viewed by the caller, or takes the mark back. Only the caller sees marks.
 * @param content the blob that the caller has seen
 * @throws NotFound when the pull request does not change the file, or the file has another content by now
 */
export async function setViewed(
  ctx: SignedInRepoCtx,
  { pull }: PullPair,
  file: { readonly path: string; readonly content: string },
  isViewed: boolean,
): Promise<void> {
  if (!isViewed) {
    await transaction(ctx.db, (tx) => deleteViewed(tx, pull.id, ctx.viewer.id, file.path))
    return
  }
  const changes = await ctx.git.diffFiles(ctx.repo.git_key, { base: mergeBaseOf(pull), head: pull.synced_oid })
  const change = changes.find(({ path }) => path === file.path)
  if (change?.newOid !== file.content) throw new NotFound('the file has changed meanwhile', 'file_changed')
  const row = { pull_id: pull.id, user_id: ctx.viewer.id, path: file.path, content_oid: change.newOid }
  await transaction(ctx.db, (tx) => upsertViewed(tx, row))
}
