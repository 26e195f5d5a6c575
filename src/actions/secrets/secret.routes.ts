import { Type } from 'typebox'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import { empty, noContent, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { valuesOfAccount, valuesOfRepo, type ValueOwner } from '../value-owner.ts'
import { presentSecrets } from './secret.present.ts'
import { CreateOrUpdateSecretOption, Secret } from './secret.schemas.ts'
import { pageOfSecrets, putSecret, removeSecret } from './secret.service.ts'

/** Declares the operations of the secrets of a repository, an organization or an account. */
function secretOperations<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, ValueOwner>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const list = operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(Secret) },
    summary: 'List the secrets',
    async run({ ctx, query }) {
      const page = pageOrWhole(query, ctx.config.api)
      const { rows, total } = await pageOfSecrets(ctx, ownerOf(ctx), page)
      return paged(presentSecrets(rows), page, total, { link: false })
    },
  })
  const put = operation({
    method: 'PUT',
    path: `${path}/{secretname}`,
    cost: 'usual',
    scope,
    outlivesCredential: true,
    requires: [...requires, validBody],
    body: CreateOrUpdateSecretOption,
    reply: { 201: 'empty', 204: 'empty' },
    summary: 'Create or change a secret',
    run: async ({ ctx, params, body }) =>
      (await putSecret(ctx, ownerOf(ctx), params.secretname, body.data)) ? empty(201) : noContent(),
  })
  const remove = operation({
    method: 'DELETE',
    path: `${path}/{secretname}`,
    cost: 'usual',
    scope,
    requires,
    reply: { 204: 'empty' },
    summary: 'Delete a secret',
    run: ({ ctx, params }) => removeSecret(ctx, ownerOf(ctx), params.secretname),
  })
  return { list, put, remove }
}

export const {
  list: repoListActionsSecrets,
  put: updateRepoSecret,
  remove: deleteRepoSecret,
} = secretOperations({
  path: '/repos/{username}/{reponame}/actions/secrets',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  ownerOf: ({ repo }) => valuesOfRepo(repo.id),
})

export const {
  list: orgListActionsSecrets,
  put: updateOrgSecret,
  remove: deleteOrgSecret,
} = secretOperations({
  path: '/orgs/{org}/actions/secrets',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  ownerOf: ({ org }) => valuesOfAccount(org.id),
})

/** The contract has no list of an account's secrets. */
export const { put: updateUserSecret, remove: deleteUserSecret } = secretOperations({
  path: '/user/actions/secrets',
  scope: 'user',
  requires: [signedIn],
  ownerOf: ({ viewer }) => valuesOfAccount(viewer.id),
})
