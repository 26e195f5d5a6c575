import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, noContent, ok, paged, withStatus } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { getMigrationOwner } from '../repos/lifecycle/migrate.service.ts'
import { presentMadeRepo } from '../repos/repo.present.ts'
import { Repository } from '../repos/repo.schemas.ts'
import { presentImport, presentImports } from './import.present.ts'
import { RepositoryImport } from './import.schemas.ts'
import { bringRepository, endImport, getImport, getImports } from './import.service.ts'
import { MigrateRepoOptions } from './migrate.schemas.ts'

/** Members that ask for something when they are true. */
const itemNames = ['lfs', 'issues', 'labels', 'milestones', 'pull_requests', 'releases', 'wiki'] as const

export const repoMigrate = operation({
  method: 'POST',
  path: '/repos/migrate',
  scope: 'repository',
  requires: [signedIn, validBody],
  body: MigrateRepoOptions,
  reply: { 201: Repository, 202: RepositoryImport },
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
    // A client that does not want to wait says so (RFC 7240), and asks for the import later.
    const isPatient = !/(?:^|[\s,])respond-async(?:$|[\s,;])/i.test(String(call.headers['prefer'] ?? ''))
    const brought = await bringRepository(ctx, owner, input, { isPatient })
    if (brought.kind === 'made') return created(await presentMadeRepo(ctx, brought.repo, owner))
    return withStatus(202, await presentImport(ctx, await getImport(ctx, brought.importId)))
  },
})

/** Repositories that are being brought here with what belongs to them, and those that were. Not part of the contract. */
export const userListImports = operation({
  method: 'GET',
  path: '/user/imports',
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
  params: { id: pathNumber },
  scope: 'repository',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Cancel the import of a repository, or forget one that is over',
  async run({ ctx, params }) {
    await endImport(ctx, params.id)
    return noContent()
  },
})
