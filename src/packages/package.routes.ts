import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok, paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { targetUser } from '../users/subject.requirements.ts'
import { presentFile, presentVersion, presentVersions } from './package.present.ts'
import { namedVersion, packagesReadable, packagesWritable } from './package.requirements.ts'
import { Package, PackageFile } from './package.schemas.ts'
import { getFiles, getVersionPage, linkToRepo, removeVersion, unlinkFromRepo } from './package.service.ts'

/** These operations work while the registries are off, so that packages can be listed and deleted (observed). */
const readable = [targetUser, packagesReadable] as const

export const listPackages = operation({
  method: 'GET',
  path: '/packages/{username}/',
  cost: 'usual',
  scope: 'package',
  requires: readable,
  query: { ...pageQuery, type: Type.Optional(Type.String()), q: Type.Optional(Type.String()) },
  reply: { 200: Type.Array(Package) },
  summary: 'List the versions of the packages of an owner, newest first',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { versions, total } = await getVersionPage(ctx, { type: query.type, text: query.q }, page)
    return paged(await presentVersions(ctx, versions), page, total)
  },
})

export const getPackage = operation({
  method: 'GET',
  path: '/packages/{username}/{type}/{name}/{version}',
  cost: 'usual',
  scope: 'package',
  requires: [...readable, namedVersion],
  reply: { 200: Package },
  summary: 'Get a version of a package',
  run: async ({ ctx }) => ok(await presentVersion(ctx, ctx.version)),
})

export const listPackageFiles = operation({
  method: 'GET',
  path: '/packages/{username}/{type}/{name}/{version}/files',
  cost: 'usual',
  scope: 'package',
  requires: [...readable, namedVersion],
  reply: { 200: Type.Array(PackageFile) },
  summary: 'List the files of a version of a package',
  run: async ({ ctx }) => ok((await getFiles(ctx, ctx.version)).map(presentFile)),
})

export const deletePackage = operation({
  method: 'DELETE',
  path: '/packages/{username}/{type}/{name}/{version}',
  cost: 'usual',
  scope: 'package',
  requires: [...readable, namedVersion, signedIn, packagesWritable],
  reply: { 204: 'empty' },
  summary: 'Delete a version of a package',
  run: ({ ctx }) => removeVersion(ctx, ctx.version),
})

export const linkPackage = operation({
  method: 'POST',
  path: '/packages/{username}/{type}/{name}/-/link/{repo_name}',
  cost: 'usual',
  scope: 'package',
  requires: [...readable, signedIn, packagesWritable],
  reply: { 201: 'empty' },
  summary: 'Link a package to a repository of its owner',
  run: ({ ctx, params }) => linkToRepo(ctx, params, params.repo_name),
})

export const unlinkPackage = operation({
  method: 'POST',
  path: '/packages/{username}/{type}/{name}/-/unlink',
  cost: 'usual',
  scope: 'package',
  requires: [...readable, signedIn, packagesWritable],
  reply: { 204: 'empty' },
  summary: 'Unlink a package from its repository',
  run: ({ ctx, params }) => unlinkFromRepo(ctx, params),
})
