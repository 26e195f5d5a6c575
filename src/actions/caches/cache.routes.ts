import { Type } from 'typebox'
import { canRead, canWrite, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { formatUnix } from '../../lib/time.ts'
import { ActionsCaches } from './cache.schemas.ts'
import { pageOfRepoCaches, removeCache } from './cache.service.ts'

export const listRepoCaches = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/caches',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('actions'), gitRepo],
  query: { ...pageQuery, key: Type.Optional(Type.String()) },
  reply: { 200: ActionsCaches },
  summary: 'List the caches of workflows',
  async run({ ctx, query }) {
    const { rows, total } = await pageOfRepoCaches(ctx, query.key, pageOf(query, ctx.config.api))
    const caches = rows.map((row) => ({
      id: row.id,
      ref: row.scope,
      key: row.cache_key,
      version: row.version,
      size_in_bytes: row.size_bytes,
      created_at: formatUnix(row.created_unix),
      last_accessed_at: formatUnix(row.used_unix),
    }))
    return ok({ total_count: total, actions_caches: caches })
  },
})

export const deleteRepoCache = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/caches/{cache_id}',
  cost: 'usual',
  params: { cache_id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('actions'), gitRepo, signedIn, canWrite('actions')],
  reply: { 204: 'empty' },
  summary: 'Delete a cache of workflows',
  run: ({ ctx, params }) => removeCache(ctx, params.cache_id),
})
