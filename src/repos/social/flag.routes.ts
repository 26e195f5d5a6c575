import { Type } from 'typebox'
import { inRepo } from '../../access/repo.requirements.ts'
import { anyone, siteAdmin, signedIn, tokenScope } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { flagsOn } from './flag.requirements.ts'
import { ReplaceFlagsOption } from './flag.schemas.ts'
import { addFlag, checkFlag, flagsOf, removeFlag, replaceFlags } from './flag.service.ts'

const checks = [anyone, flagsOn, inRepo, tokenScope('admin'), signedIn, siteAdmin] as const

export const repoListFlags = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/flags',
  cost: 'usual',
  scope: 'repository',
  requires: checks,
  reply: { 200: Type.Array(Type.String()) },
  summary: 'List the flags of a repository',
  async run({ ctx }) {
    const flags = await flagsOf(ctx)
    return paged(flags, pageOrWhole({}, ctx.config.api), flags.length, { link: false })
  },
})

export const repoReplaceAllFlags = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/flags',
  cost: 'usual',
  scope: 'repository',
  requires: [...checks, validBody],
  body: ReplaceFlagsOption,
  reply: { 204: 'empty' },
  summary: 'Replace the flags of a repository',
  run: ({ ctx, body }) => replaceFlags(ctx, body.flags ?? []),
})

export const repoDeleteAllFlags = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/flags',
  cost: 'usual',
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  summary: 'Remove all flags from a repository',
  run: ({ ctx }) => replaceFlags(ctx, []),
})

export const repoCheckFlag = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/flags/{flag}',
  cost: 'usual',
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  summary: 'Check whether a repository has a flag',
  run: ({ ctx, params }) => checkFlag(ctx, params.flag),
})

export const repoAddFlag = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/flags/{flag}',
  cost: 'usual',
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  summary: 'Add a flag to a repository',
  run: ({ ctx, params }) => addFlag(ctx, params.flag),
})

export const repoDeleteFlag = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/flags/{flag}',
  cost: 'usual',
  scope: 'repository',
  requires: checks,
  reply: { 204: 'empty' },
  summary: 'Remove a flag from a repository',
  run: ({ ctx, params }) => removeFlag(ctx, params.flag),
})
