import { Type } from 'typebox'
import { inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { federated } from '../peers/signature.requirements.ts'
import { presentFollowedRepos } from './followed-repo.present.ts'
import { FollowedRepository, SetFollowedRepositoriesOption } from './followed-repo.schemas.ts'
import { getFollowedRepos, setFollowedRepos } from './followed-repo.service.ts'

const path = '/repos/{username}/{reponame}/federation/following'

export const repoListFollowedRepositories = operation({
  method: 'GET',
  path,
  cost: 'usual',
  scope: 'repository',
  requires: [federated, inRepo, signedIn, repoAdmin],
  reply: { 200: Type.Array(FollowedRepository) },
  summary: 'List the repositories on other servers that get the stars of this one as likes',
  run: async ({ ctx }) => ok(presentFollowedRepos(await getFollowedRepos(ctx))),
})

export const repoSetFollowedRepositories = operation({
  method: 'PUT',
  path,
  cost: 'usual',
  scope: 'repository',
  requires: [federated, inRepo, signedIn, repoAdmin, validBody],
  refuses: [406],
  body: SetFollowedRepositoriesOption,
  reply: { 200: Type.Array(FollowedRepository) },
  summary: 'Replace the repositories on other servers that get the stars of this one as likes',
  run: async ({ ctx, body }) => ok(presentFollowedRepos(await setFollowedRepos(ctx, body.repositories))),
})
