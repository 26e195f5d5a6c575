import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, empty } from '../../http/reply.ts'
import { enumeration, pathText } from '../../http/schema.ts'
import { BadRequest, Unauthenticated } from '../../lib/errors.ts'
import { formatUnix } from '../../lib/time.ts'
import { packagesOn } from '../package.requirements.ts'
import { changing, jsonReply, publishing, reading } from '../registry/registry.ts'
import { writeRegistryToken } from '../registry/registry-token.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { answer, binaryOwner, conan, recipeParams, recipePath, takeFile } from './conan-protocol.ts'
import {
  getBinaryRevisions,
  getFileOfRevision,
  getFilesOfRevision,
  getRevisions,
  newestOfRevisions,
  removeSelection,
  searchBinaries,
  searchRecipes,
  type Revision,
} from './conan.service.ts'

const base = '/api/packages/{username}/conan'
const protocol = { protocol: enumeration('v1', 'v2') }

const revisionPath = `${base}/v2/${recipePath}/revisions/{revision}`
const revisionParams = { ...recipeParams, revision: pathText }
const binaryPath = `${revisionPath}/packages/{binary}`
const binaryParams = { ...revisionParams, binary: pathText }
const ofBinaryPath = `${binaryPath}/revisions/{binary_revision}`
const ofBinaryParams = { ...binaryParams, binary_revision: pathText }

/** The server's capabilities beyond protocol version 1. */
const capabilities = { 'x-conan-server-capabilities': 'revisions' }

const shownRevision = ({ revision, changedUnix }: Revision) => ({ revision, time: formatUnix(changedUnix) })

const listed = (revisions: readonly Revision[]) => answer({ revisions: revisions.map(shownRevision) })

const fileNames = (files: readonly { readonly name: string }[]) =>
  answer({ files: Object.fromEntries(files.map(({ name }) => [name, null])) })

export const conanPing = operation({
  ...conan,
  method: 'GET',
  path: `${base}/{protocol}/ping`,
  cost: 'usual',
  params: protocol,
  requires: reading,
  reply: { 200: 'empty' },
  summary: 'Get the capabilities of a Conan registry',
  run: async () => empty(200, capabilities),
})

export const conanAuthenticate = operation({
  ...conan,
  method: 'GET',
  path: `${base}/{protocol}/users/authenticate`,
  cost: 'usual',
  params: protocol,
  requires: [packagesOn, anyone],
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get a token for a Conan registry',
  async run({ ctx }) {
    if (!ctx.viewer) throw new BadRequest('a name and a password are needed', 'conan_credentials_missing')
    return bytes('text/plain;charset=utf-8', writeRegistryToken(ctx, ctx.viewer), {
      headers: { 'cache-control': 'no-store' },
    })
  },
})

export const conanCheckCredentials = operation({
  ...conan,
  method: 'GET',
  path: `${base}/{protocol}/users/check_credentials`,
  cost: 'usual',
  params: protocol,
  requires: [packagesOn, anyone],
  reply: { 200: 'empty' },
  summary: 'Check a token for a Conan registry',
  async run({ ctx }) {
    if (!ctx.viewer) throw new Unauthenticated('a sign-in is needed')
  },
})

export const conanSearch = operation({
  ...conan,
  method: 'GET',
  path: `${base}/{protocol}/conans/search`,
  cost: 'usual',
  params: protocol,
  requires: reading,
  query: { q: Type.Optional(Type.String()), ignorecase: Type.Optional(Type.String()) },
  reply: jsonReply,
  summary: 'Find Conan recipes by a pattern',
  run: async ({ ctx, query: { q, ignorecase } }) =>
    answer({ results: await searchRecipes(ctx, q, !/^(?:false|0)$/i.test(ignorecase ?? '')) }),
})

export const conanDeleteRecipe = operation({
  ...conan,
  method: 'DELETE',
  path: `${base}/{protocol}/${recipePath}`,
  cost: 'usual',
  params: { ...protocol, ...recipeParams },
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete a Conan recipe with all of its revisions and binaries',
  run: ({ ctx, params }) => removeSelection(ctx, params, {}),
})

export const conanSearchBinaries = operation({
  ...conan,
  method: 'GET',
  path: `${base}/{protocol}/${recipePath}/search`,
  cost: 'usual',
  params: { ...protocol, ...recipeParams },
  requires: reading,
  reply: jsonReply,
  summary: 'List the binaries of the newest revision of a Conan recipe',
  run: async ({ ctx, params }) => answer(await searchBinaries(ctx, params, undefined)),
})

export const conanLatest = operation({
  ...conan,
  method: 'GET',
  path: `${base}/v2/${recipePath}/latest`,
  cost: 'usual',
  params: recipeParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the newest revision of a Conan recipe',
  run: async ({ ctx, params }) => answer(shownRevision(newestOfRevisions(await getRevisions(ctx, params)))),
})

export const conanRevisions = operation({
  ...conan,
  method: 'GET',
  path: `${base}/v2/${recipePath}/revisions`,
  cost: 'usual',
  params: recipeParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the revisions of a Conan recipe',
  run: async ({ ctx, params }) => listed(await getRevisions(ctx, params)),
})

export const conanDeleteRevision = operation({
  ...conan,
  method: 'DELETE',
  path: revisionPath,
  cost: 'usual',
  params: revisionParams,
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete a revision of a Conan recipe with its binaries',
  run: ({ ctx, params }) => removeSelection(ctx, params, { revision: params.revision }),
})

export const conanSearchRevision = operation({
  ...conan,
  method: 'GET',
  path: `${revisionPath}/search`,
  cost: 'usual',
  params: revisionParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the binaries of a revision of a Conan recipe',
  run: async ({ ctx, params }) => answer(await searchBinaries(ctx, params, params.revision)),
})

export const conanFiles = operation({
  ...conan,
  method: 'GET',
  path: `${revisionPath}/files`,
  cost: 'usual',
  params: revisionParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the files of a revision of a Conan recipe',
  run: async ({ ctx, params }) => fileNames(await getFilesOfRevision(ctx, params, { revision: params.revision })),
})

export const conanGetFile = operation({
  ...conan,
  method: 'GET',
  path: `${revisionPath}/files/{path+}`,
  cost: 'usual',
  params: revisionParams,
  requires: reading,
  reply: storedReplies,
  summary: 'Download a file of a Conan recipe',
  run: async ({ ctx, params, call }) =>
    servePackageFile(ctx, await getFileOfRevision(ctx, params, { revision: params.revision }, params.path), call),
})

export const conanPutFile = operation({
  ...conan,
  method: 'PUT',
  path: `${revisionPath}/files/{path+}`,
  cost: 'usual',
  params: revisionParams,
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a file of a Conan recipe',
  run: ({ ctx, params, call }) => takeFile(ctx, params, { revision: params.revision }, params.path, call),
})

export const conanDeleteBinaries = operation({
  ...conan,
  method: 'DELETE',
  path: `${revisionPath}/packages`,
  cost: 'usual',
  params: revisionParams,
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete all binaries of a revision of a Conan recipe',
  run: ({ ctx, params }) => removeSelection(ctx, params, { revision: params.revision, isBinaries: true }),
})

export const conanDeleteBinary = operation({
  ...conan,
  method: 'DELETE',
  path: binaryPath,
  cost: 'usual',
  params: binaryParams,
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete a binary of a Conan recipe with all of its revisions',
  run: ({ ctx, params }) =>
    removeSelection(ctx, params, { revision: params.revision, isBinaries: true, binaryId: params.binary }),
})

export const conanBinaryLatest = operation({
  ...conan,
  method: 'GET',
  path: `${binaryPath}/latest`,
  cost: 'usual',
  params: binaryParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the newest revision of a Conan binary',
  run: async ({ ctx, params }) =>
    answer(shownRevision(newestOfRevisions(await getBinaryRevisions(ctx, params, params.revision, params.binary)))),
})

export const conanBinaryRevisions = operation({
  ...conan,
  method: 'GET',
  path: `${binaryPath}/revisions`,
  cost: 'usual',
  params: binaryParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the revisions of a Conan binary',
  run: async ({ ctx, params }) => listed(await getBinaryRevisions(ctx, params, params.revision, params.binary)),
})

export const conanDeleteBinaryRevision = operation({
  ...conan,
  method: 'DELETE',
  path: ofBinaryPath,
  cost: 'usual',
  params: ofBinaryParams,
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete a revision of a Conan binary',
  async run({ ctx, params }) {
    const { revision, binary: binaryId, binary_revision: binaryRevision } = params
    await removeSelection(ctx, params, { revision, isBinaries: true, binaryId, binaryRevision })
  },
})

export const conanBinaryFiles = operation({
  ...conan,
  method: 'GET',
  path: `${ofBinaryPath}/files`,
  cost: 'usual',
  params: ofBinaryParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the files of a revision of a Conan binary',
  run: async ({ ctx, params }) => fileNames(await getFilesOfRevision(ctx, params, binaryOwner(params))),
})

export const conanGetBinaryFile = operation({
  ...conan,
  method: 'GET',
  path: `${ofBinaryPath}/files/{path+}`,
  cost: 'usual',
  params: ofBinaryParams,
  requires: reading,
  reply: storedReplies,
  summary: 'Download a file of a Conan binary',
  run: async ({ ctx, params, call }) =>
    servePackageFile(ctx, await getFileOfRevision(ctx, params, binaryOwner(params), params.path), call),
})

export const conanPutBinaryFile = operation({
  ...conan,
  method: 'PUT',
  path: `${ofBinaryPath}/files/{path+}`,
  cost: 'usual',
  params: ofBinaryParams,
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a file of a Conan binary',
  run: ({ ctx, params, call }) => takeFile(ctx, params, binaryOwner(params), params.path, call),
})
