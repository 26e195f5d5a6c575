import { Type } from 'typebox'
import { inRepo, notArchived, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { mirrorsEnabled } from './mirror.requirements.ts'
import { presentPushMirror } from './push-mirror.present.ts'
import { CreatePushMirrorOption, PushMirror } from './push-mirror.schemas.ts'
import {
  createPushMirror,
  getPushMirror,
  pageOfPushMirrors,
  removePushMirror,
  syncPushMirrors,
} from './push-mirror.service.ts'

export const repoListPushMirrors = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/push_mirrors',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, mirrorsEnabled],
  query: pageQuery,
  reply: { 200: Type.Array(PushMirror) },
  summary: 'List the repositories of other servers that follow this one',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { mirrors, total } = await pageOfPushMirrors(ctx, page)
    return paged(
      mirrors.map((mirror) => presentPushMirror(ctx, mirror)),
      page,
      total,
    )
  },
})

export const repoAddPushMirror = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/push_mirrors',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, notArchived, validBody, mirrorsEnabled],
  body: CreatePushMirrorOption,
  reply: { 200: PushMirror },
  summary: 'Have a repository of another server follow this one',
  async run({ ctx, body }) {
    const mirror = await createPushMirror(ctx, {
      address: body.remote_address ?? '',
      username: body.remote_username,
      password: body.remote_password,
      interval: body.interval,
      pushesOnCommit: body.sync_on_commit ?? false,
      usesSsh: body.use_ssh ?? false,
    })
    return ok(presentPushMirror(ctx, mirror))
  },
})

export const repoGetPushMirrorByRemoteName = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/push_mirrors/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, mirrorsEnabled],
  reply: { 200: PushMirror },
  summary: 'Get one of the repositories that follow this one',
  run: async ({ ctx, params }) => ok(presentPushMirror(ctx, await getPushMirror(ctx, params.name))),
})

export const repoDeletePushMirror = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/push_mirrors/{name}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, notArchived, mirrorsEnabled],
  reply: { 204: 'empty' },
  summary: 'End the following of another server’s repository; what it has stays',
  async run({ ctx, params }) {
    await removePushMirror(ctx, params.name)
  },
})

export const repoPushMirrorSync = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/push_mirrors-sync',
  cost: 'expensive',
  scope: 'repository',
  refuses: [413],
  requires: [inRepo, signedIn, repoAdmin, notArchived, mirrorsEnabled],
  reply: { 200: 'empty' },
  summary: 'Send this repository on to those that follow it, and wait for it',
  run: async ({ ctx, call }) => {
    await syncPushMirrors(ctx, ctx.repo.id, call.signal)
  },
})
