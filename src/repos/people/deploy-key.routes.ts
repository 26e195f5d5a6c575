import { Type } from 'typebox'
import { inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { KeyId } from '../../lib/ids.ts'
import { pageOf } from '../../lib/paging.ts'
import { CreateKeyOption } from '../../users/credentials/key.schemas.ts'
import { presentDeployKey, presentDeployKeys, presentNewDeployKey } from './deploy-key.present.ts'
import { DeployKey } from './deploy-key.schemas.ts'
import { addDeployKey, getDeployKey, pageOfDeployKeys, removeDeployKey } from './deploy-key.service.ts'

export const repoListKeys = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/keys',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  query: { key_id: Type.Optional(Type.Integer()), fingerprint: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: Type.Array(DeployKey) },
  summary: 'List the deploy keys',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const filter = { keyId: query.key_id as KeyId | undefined, fingerprint: query.fingerprint }
    const { keys, total } = await pageOfDeployKeys(ctx, filter, page)
    return paged(await presentDeployKeys(ctx, keys), page, total, { link: false })
  },
})

export const repoCreateKey = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/keys',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, validBody],
  body: CreateKeyOption,
  reply: { 201: DeployKey },
  summary: 'Add a deploy key',
  async run({ ctx, body }) {
    const key = await addDeployKey(ctx, { title: body.title, key: body.key, isReadOnly: body.read_only ?? false })
    return created(presentNewDeployKey(ctx, key))
  },
})

export const repoGetKey = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 200: DeployKey },
  summary: 'Get a deploy key',
  run: async ({ ctx, params }) => ok(await presentDeployKey(ctx, await getDeployKey(ctx, params.id))),
})

export const repoDeleteKey = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Delete a deploy key',
  run: ({ ctx, params }) => removeDeployKey(ctx, params.id),
})
