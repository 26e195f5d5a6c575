import { Type } from 'typebox'
import { inRepo } from '../../access/repo.requirements.ts'
import { anyone, siteAdmin, signedIn, tokenScope } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { noContent, paged } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { flagsOn } from './flag.requirements.ts'
import { ReplaceFlagsOption } from './flag.schemas.ts'
import { addFlag, checkFlag, flagsOf, removeFlag, replaceFlags } from './flag.service.ts'

const checks = [anyone, flagsOn, inRepo, tokenScope('admin'), signedIn, siteAdmin] as const

export const repoListFlags = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/flags',
  scope: 'repository',
  requires: checks,
  reply: { 200: Type.Array(Type.String()) },
  async run({ ctx }) {
    const flags = await flagsOf(ctx)
    return paged(flags, pageOrWhole({}, ctx.config.api), flags.length, { link: false })
  },
})

export const repoReplaceAllFlags = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/flags',
  scope: 'repository',
  requires: [...checks, validBody],
  body: ReplaceFlagsOption,
  reply: { 204: 'empty' },
  async run({ ctx, body }) {
    await replaceFlags(ctx, body.flags ?? [])
    return noContent()
  },
})

export const repoDeleteAllFlags = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/flags',
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  async run({ ctx }) {
    await replaceFlags(ctx, [])
    return noContent()
  },
})

export const repoCheckFlag = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/flags/{flag}',
  params: { flag: pathText },
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await checkFlag(ctx, params.flag)
    return noContent()
  },
})

export const repoAddFlag = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/flags/{flag}',
  params: { flag: pathText },
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await addFlag(ctx, params.flag)
    return noContent()
  },
})

export const repoDeleteFlag = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/flags/{flag}',
  params: { flag: pathText },
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await removeFlag(ctx, params.flag)
    return noContent()
  },
})
