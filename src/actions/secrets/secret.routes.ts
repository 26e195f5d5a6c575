import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { empty, noContent, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole, type PageQuery } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { valuesOfAccount, valuesOfRepo, type ValueOwner } from '../value-owner.ts'
import { presentSecrets } from './secret.present.ts'
import { CreateOrUpdateSecretOption, Secret } from './secret.schemas.ts'
import { pageOfSecrets, putSecret, removeSecret } from './secret.service.ts'

async function answerList(ctx: Ctx, owner: ValueOwner, query: PageQuery) {
  const page = pageOrWhole(query, ctx.config.api)
  const { rows, total } = await pageOfSecrets(ctx, owner, page)
  return paged(presentSecrets(rows), page, total, { link: false })
}

const answerPut = async (ctx: Ctx, owner: ValueOwner, name: string, value: string) =>
  (await putSecret(ctx, owner, name, value)) ? empty(201) : noContent()

export const repoListActionsSecrets = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/secrets',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  query: pageQuery,
  reply: { 200: Type.Array(Secret) },
  run: ({ ctx, query }) => answerList(ctx, valuesOfRepo(ctx.repo.id), query),
})

export const updateRepoSecret = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/actions/secrets/{secretname}',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoOwner, validBody],
  body: CreateOrUpdateSecretOption,
  reply: { 201: 'empty', 204: 'empty' },
  run: ({ ctx, params, body }) => answerPut(ctx, valuesOfRepo(ctx.repo.id), params.secretname, body.data),
})

export const deleteRepoSecret = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/secrets/{secretname}',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => removeSecret(ctx, valuesOfRepo(ctx.repo.id), params.secretname),
})

export const orgListActionsSecrets = operation({
  method: 'GET',
  path: '/orgs/{org}/actions/secrets',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(Secret) },
  run: ({ ctx, query }) => answerList(ctx, valuesOfAccount(ctx.org.id), query),
})

export const updateOrgSecret = operation({
  method: 'PUT',
  path: '/orgs/{org}/actions/secrets/{secretname}',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: CreateOrUpdateSecretOption,
  reply: { 201: 'empty', 204: 'empty' },
  run: ({ ctx, params, body }) => answerPut(ctx, valuesOfAccount(ctx.org.id), params.secretname, body.data),
})

export const deleteOrgSecret = operation({
  method: 'DELETE',
  path: '/orgs/{org}/actions/secrets/{secretname}',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => removeSecret(ctx, valuesOfAccount(ctx.org.id), params.secretname),
})

export const updateUserSecret = operation({
  method: 'PUT',
  path: '/user/actions/secrets/{secretname}',
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateOrUpdateSecretOption,
  reply: { 201: 'empty', 204: 'empty' },
  run: ({ ctx, params, body }) => answerPut(ctx, valuesOfAccount(ctx.viewer.id), params.secretname, body.data),
})

export const deleteUserSecret = operation({
  method: 'DELETE',
  path: '/user/actions/secrets/{secretname}',
  scope: 'user',
  requires: [signedIn],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => removeSecret(ctx, valuesOfAccount(ctx.viewer.id), params.secretname),
})
