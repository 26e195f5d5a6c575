import type { RepoCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { nowUnix } from '../lib/time.ts'
import { storePicture } from '../users/picture.service.ts'
import { updateRepo } from './repo.store.ts'

/** Gives the repository a picture; text that is no base64 is `BadRequest`, what is no picture `Invalid`. */
export async function setRepoAvatar(ctx: RepoCtx, image: string): Promise<void> {
  await changeAvatar(ctx, await storePicture(ctx, ctx.blobs.repoAvatars, `repo:${ctx.repo.id}`, image))
}

/** The repository has no picture any more. */
export const removeRepoAvatar = (ctx: RepoCtx): Promise<void> => changeAvatar(ctx, '')

async function changeAvatar(ctx: RepoCtx, key: string): Promise<void> {
  const { repo } = ctx
  if (key === repo.avatar_key) return
  await transaction(ctx.db, (tx) => updateRepo(tx, repo.id, { avatar_key: key, updated_unix: nowUnix(ctx.clock) }))
  if (repo.avatar_key !== '') await ctx.blobs.repoAvatars.delete(repo.avatar_key)
}
