import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok, paged, withStatus } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { getMigrationOwner } from '../repos/lifecycle/migrate.service.ts'
import { presentMadeRepo } from '../repos/repo.present.ts'
import { Repository } from '../repos/repo.schemas.ts'
import { presentImport, presentImports } from './import.present.ts'
import { RepositoryImport } from './import.schemas.ts'
import { importRepository, endImport, getImport, getImports } from './import.service.ts'
import { MigrateRepoOptions } from './migrate.schemas.ts'

/** Boolean members that select items. */
const itemNames = ['lfs', 'issues', 'labels', 'milestones', 'pull_requests', 'releases', 'wiki'] as const

export const repoMigrate = operation({
  method: 'POST',
  path: '/repos/migrate',
  cost: 'expensive',
  scope: 'repository',
  refuses: [409],
  requires: [signedIn, validBody],
  body: MigrateRepoOptions,
  reply: { 201: Repository, 202: RepositoryImport },
  summary: 'Import a repository from another server',
  async run({ ctx, body, call }) {
    const owner = await getMigrationOwner(ctx, { name: body.repo_owner, id: body.uid })
    const input = {
      address: body.clone_addr,
      credentials: { username: body.auth_username, password: body.auth_password, token: body.auth_token },
      service: body.service ?? '',
      items: itemNames.filter((name) => body[name] === true),
      name: body.repo_name,
      description: body.description,
      isPrivate: body.private,
      isMirror: body.mirror,
      mirrorInterval: body.mirror_interval,
      lfsEndpoint: body.lfs_endpoint,
      signal: call.signal,
    }
    // `Prefer: respond-async` (RFC 7240) answers 202 at once.
    const waits = !/(?:^|[\s,])respond-async(?:$|[\s,;])/i.test(String(call.headers['prefer'] ?? ''))
    const result = await importRepository(ctx, owner, input, { waits })
    if (result.kind === 'created') return created(await presentMadeRepo(ctx, result.repo, owner))
    return withStatus(202, await presentImport(ctx, await getImport(ctx, result.importId)))
  },
})

/** Lists the imports of the caller. An extension of Ingot. */
export const userListImports = operation({
  method: 'GET',
  path: '/user/imports',
  cost: 'usual',
  scope: 'repository',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(RepositoryImport) },
  summary: 'List imports of repositories',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await getImports(ctx, page)
    return paged(await presentImports(ctx, rows), page, total)
  },
})

export const userGetImport = operation({
  method: 'GET',
  path: '/user/imports/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [signedIn],
  reply: { 200: RepositoryImport },
  summary: 'Get how far the import of a repository has come',
  async run({ ctx, params }) {
    return ok(await presentImport(ctx, await getImport(ctx, params.id)))
  },
})

export const userDeleteImport = operation({
  method: 'DELETE',
  path: '/user/imports/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Cancel the import of a repository, or forget one that is over',
  run: ({ ctx, params }) => endImport(ctx, params.id),
})
