import { Type } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentKeys, presentOneKey } from './key.present.ts'
import { CreateKeyOption, PublicKey } from './key.schemas.ts'
import { addKey, getKey, pageOfKeys, removeKey } from './key.service.ts'
import { namedUser } from '../subject.requirements.ts'

const keyQuery = { fingerprint: Type.Optional(Type.String()), ...pageQuery }

export const userListKeys = operation({
  method: 'GET',
  path: '/users/{username}/keys',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, namedUser],
  query: keyQuery,
  reply: { 200: Type.Array(PublicKey) },
  summary: 'List the SSH keys of an account',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { keys, total } = await pageOfKeys(ctx, ctx.subject, query.fingerprint, page)
    return paged(await presentKeys(ctx, keys), page, total, { link: false })
  },
})

export const userCurrentListKeys = operation({
  method: 'GET',
  path: '/user/keys',
  cost: 'usual',
  scope: 'user',
  narrowScope: 'admin:public_key',
  requires: [signedIn],
  query: keyQuery,
  reply: { 200: Type.Array(PublicKey) },
  summary: 'List the own SSH keys',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    // A fingerprint is searched on the whole instance (observed).
    const owner = query.fingerprint ? undefined : ctx.viewer.user
    const { keys, total } = await pageOfKeys(ctx, owner, query.fingerprint, page)
    return paged(await presentKeys(ctx, keys), page, total, { link: false })
  },
})

export const userCurrentPostKey = operation({
  method: 'POST',
  path: '/user/keys',
  cost: 'usual',
  scope: 'user',
  narrowScope: 'admin:public_key',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateKeyOption,
  reply: { 201: PublicKey },
  summary: 'Add an SSH key',
  async run({ ctx, body }) {
    return created(await presentOneKey(ctx, await addKey(ctx, ctx.viewer.user, body)))
  },
})

export const userCurrentGetKey = operation({
  method: 'GET',
  path: '/user/keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:public_key',
  requires: [signedIn],
  reply: { 200: PublicKey },
  summary: 'Get an own SSH key',
  run: async ({ ctx, params }) => ok(await presentOneKey(ctx, await getKey(ctx, params.id))),
})

export const userCurrentDeleteKey = operation({
  method: 'DELETE',
  path: '/user/keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:public_key',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete an own SSH key',
  run: ({ ctx, params }) => removeKey(ctx, ctx.viewer.user, params.id),
})
