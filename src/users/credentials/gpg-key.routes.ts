import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { signedIn } from '../../access/requirements.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { bytes, created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOrWhole, type PageQuery } from '../../lib/paging.ts'
import { namedUser } from '../subject.requirements.ts'
import { presentGpgKey, presentGpgKeys } from './gpg-key.present.ts'
import { CreateGPGKeyOption, GPGKey, VerifyGPGKeyOption } from './gpg-key.schemas.ts'
import {
  addGpgKey,
  getGpgKey,
  pageOfGpgKeys,
  removeGpgKey,
  verificationToken,
  verifyGpgKey,
} from './gpg-key.service.ts'

async function answerList(ctx: Ctx, owner: UserRow, query: PageQuery) {
  const page = pageOrWhole(query, ctx.config.api)
  const { keys, total } = await pageOfGpgKeys(ctx, owner, page)
  return paged(await presentGpgKeys(ctx, keys), page, total, { link: false })
}

export const userListGPGKeys = operation({
  method: 'GET',
  path: '/users/{username}/gpg_keys',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, namedUser],
  query: pageQuery,
  reply: { 200: Type.Array(GPGKey) },
  summary: 'List the OpenPGP keys of an account',
  async run({ ctx, query }) {
    return answerList(ctx, ctx.subject, query)
  },
})

export const userCurrentListGPGKeys = operation({
  method: 'GET',
  path: '/user/gpg_keys',
  cost: 'usual',
  scope: 'user',
  narrowScope: 'admin:gpg_key',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(GPGKey) },
  summary: 'List the own OpenPGP keys',
  run: ({ ctx, query }) => answerList(ctx, ctx.viewer.user, query),
})

export const userCurrentPostGPGKey = operation({
  method: 'POST',
  path: '/user/gpg_keys',
  cost: 'usual',
  scope: 'user',
  narrowScope: 'admin:gpg_key',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  refuses: [404],
  body: CreateGPGKeyOption,
  reply: { 201: GPGKey },
  summary: 'Add an OpenPGP key',
  async run({ ctx, body }) {
    const input = { armored: body.armored_public_key, signature: body.armored_signature || undefined }
    return created(await presentGpgKey(ctx, await addGpgKey(ctx, ctx.viewer.user, input)))
  },
})

export const userCurrentGetGPGKey = operation({
  method: 'GET',
  path: '/user/gpg_keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:gpg_key',
  requires: [signedIn],
  reply: { 200: GPGKey },
  summary: 'Get an own OpenPGP key',
  async run({ ctx, params }) {
    return ok(await presentGpgKey(ctx, await getGpgKey(ctx, ctx.viewer.user, params.id)))
  },
})

export const userCurrentDeleteGPGKey = operation({
  method: 'DELETE',
  path: '/user/gpg_keys/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:gpg_key',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete an own OpenPGP key',
  run: ({ ctx, params }) => removeGpgKey(ctx, ctx.viewer.user, params.id),
})

export const getVerificationToken = operation({
  method: 'GET',
  path: '/user/gpg_key_token',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get the text that proves an OpenPGP key',
  async run({ ctx }) {
    return bytes('text/plain;charset=utf-8', verificationToken(ctx, ctx.viewer.user))
  },
})

export const userVerifyGPGKey = operation({
  method: 'POST',
  path: '/user/gpg_key_verify',
  cost: 'usual',
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: VerifyGPGKeyOption,
  reply: { 200: GPGKey },
  summary: 'Verify an OpenPGP key',
  async run({ ctx, body }) {
    const input = { keyId: body.key_id, signature: body.armored_signature }
    return ok(await presentGpgKey(ctx, await verifyGpgKey(ctx, ctx.viewer.user, input)))
  },
})
