import { inRepo, repoAdmin } from '../access/repo.requirements.ts'
import { anyone, signedIn } from '../access/requirements.ts'
import { fileReplies, serveFile } from '../http/file-reply.ts'
import { operation } from '../http/operation.ts'
import { avatarOperations } from '../users/avatars/avatar.operations.ts'
import { getAvatar } from '../users/avatars/avatar.service.ts'
import { UpdateRepoAvatarOption } from './avatar.schemas.ts'

export const { update: repoUpdateAvatar, remove: repoDeleteAvatar } = avatarOperations({
  path: '/repos/{username}/{reponame}/avatar',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  body: UpdateRepoAvatarOption,
  ownerOf: ({ repo, viewer }) => ({ of: { kind: 'repo', id: repo.id }, doerId: viewer.id }),
})

/** Returns the avatar of a repository to anyone who knows its unguessable address. */
export const showRepoAvatar = operation({
  method: 'GET',
  path: '/repo-avatars/{hash}',
  cost: 'usual',
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
