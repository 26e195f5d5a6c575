import { inRepo, repoAdmin } from '../access/repo.requirements.ts'
import { anyone, signedIn } from '../access/requirements.ts'
import { fileReplies, serveFile } from '../http/file-reply.ts'
import { operation, validBody } from '../http/operation.ts'
import { getAvatar, removeAvatar, setAvatar } from '../users/avatars/avatar.service.ts'
import { UpdateRepoAvatarOption } from './avatar.schemas.ts'

export const repoUpdateAvatar = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/avatar',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, validBody],
  body: UpdateRepoAvatarOption,
  carriesFiles: true,
  reply: { 204: 'empty' },
  run: ({ ctx, body }) => setAvatar(ctx, { kind: 'repo', id: ctx.repo.id }, body.image, ctx.viewer.id),
})

export const repoDeleteAvatar = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/avatar',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  run: ({ ctx }) => removeAvatar(ctx, { kind: 'repo', id: ctx.repo.id }, ctx.viewer.id),
})

/** Returns the avatar of a repository to anyone who knows its unguessable address. */
export const showRepoAvatar = operation({
  method: 'GET',
  path: '/repo-avatars/{hash}',
  base: 'site',
  family: 'downloads',
  accepts: [],
  scope: null,
  requires: [anyone],
  reply: fileReplies,
  run: async ({ ctx, params, call }) =>
    serveFile(call, {
      name: params.hash,
      etag: params.hash,
      cacheControl: 'private, max-age=21600',
      content: await getAvatar(ctx, 'repoAvatars', params.hash),
    }),
})
