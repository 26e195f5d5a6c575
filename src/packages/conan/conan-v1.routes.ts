import { Type } from 'typebox'
import type { SubjectCtx } from '../../access/context.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { pathText, requestObject } from '../../http/schema.ts'
import { changing, jsonReply, publishing, reading } from '../registry/registry.ts'
import { urlBelow } from '../registry/registry-url.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { answer, binaryOwner, conan, recipeParams, recipePath, takeFile } from './conan-protocol.ts'
import { checkFileName, checkReference, noRevision, type FileOwner, type Reference } from './conan.rules.ts'
import {
  getBinaryRevisions,
  getFileOfRevision,
  getFilesOfRevision,
  getRevisions,
  newestOfRevisions,
  removeBinaries,
  removeRecipeFiles,
} from './conan.service.ts'

// Protocol version 1 has no revisions: it publishes under one fixed revision and reads the newest. The server tells it
// the URL
// of each file.

const base = '/api/packages/{username}/conan/v1'
const binaryPath = `${base}/${recipePath}/packages/{binary}`
const binaryParams = { ...recipeParams, binary: pathText }
const recipeFilePath = `${base}/files/{name}/{version}/{user}/{channel}/{revision}/recipe/{filename}`
const recipeFileParams = { ...recipeParams, revision: pathText, filename: pathText }
const binaryFilePath = `${base}/files/{name}/{version}/{user}/{channel}/{revision}/package/{binary}/{binary_revision}/{filename}`
const binaryFileParams = { ...recipeFileParams, binary: pathText, binary_revision: pathText }

/** File sizes by name. */
const sizes = Type.Record(Type.String(), Type.Integer(), { title: 'ConanFileSizes', maxProperties: 1000 })
const removedFiles = requestObject('ConanRemovedFiles', { files: Type.Array(Type.String(), { maxItems: 1000 }) })
const removedBinaries = requestObject('ConanRemovedPackages', {
  package_ids: Type.Array(Type.String(), { maxItems: 10_000 }),
})

const manifestFile = 'conanmanifest.txt'

function fileUrl(
  ctx: SubjectCtx,
  { name, version, user, channel }: Reference,
  { revision, binary }: FileOwner,
  fileName: string,
): string {
  const where = binary ? ['package', binary.id, binary.revision] : ['recipe']
  return urlBelow(ctx, 'conan', 'v1', 'files', name, version, user, channel, revision, ...where, fileName)
}

/** Returns upload URLs for files. */
function uploadUrls(ctx: SubjectCtx, reference: Reference, location: FileOwner, names: readonly string[]) {
  checkReference(reference)
  for (const name of names) checkFileName(location, name)
  return answer(Object.fromEntries(names.map((name) => [name, fileUrl(ctx, reference, location, name)])))
}

const newestRecipe = async (ctx: SubjectCtx, reference: Reference): Promise<FileOwner> => ({
  revision: newestOfRevisions(await getRevisions(ctx, reference)).revision,
})

async function newestBinary(ctx: SubjectCtx, reference: Reference, id: string): Promise<FileOwner> {
  const { revision } = await newestRecipe(ctx, reference)
  const newest = newestOfRevisions(await getBinaryRevisions(ctx, reference, revision, id))
  return { revision, binary: { id, revision: newest.revision } }
}

async function sumsOf(ctx: SubjectCtx, reference: Reference, location: FileOwner) {
  const files = await getFilesOfRevision(ctx, reference, location)
  return answer(Object.fromEntries(files.map(({ name, md5 }) => [name, md5])))
}

/** Returns download URLs of all files, or of one. */
async function downloadUrls(ctx: SubjectCtx, reference: Reference, location: FileOwner, only?: string) {
  const files = (await getFilesOfRevision(ctx, reference, location)).filter(
    ({ name }) => only === undefined || name === only,
  )
  return answer(Object.fromEntries(files.map(({ name }) => [name, fileUrl(ctx, reference, location, name)])))
}

export const conanRecipeSums = operation({
  ...conan,
  method: 'GET',
  path: `${base}/${recipePath}`,
  cost: 'usual',
  params: recipeParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the files of a Conan recipe with their checksums',
  run: async ({ ctx, params }) => sumsOf(ctx, params, await newestRecipe(ctx, params)),
})

export const conanRecipeDigest = operation({
  ...conan,
  method: 'GET',
  path: `${base}/${recipePath}/digest`,
  cost: 'usual',
  params: recipeParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the URL of the list of files of a Conan recipe',
  run: async ({ ctx, params }) => downloadUrls(ctx, params, await newestRecipe(ctx, params), manifestFile),
})

export const conanRecipeDownloadUrls = operation({
  ...conan,
  method: 'GET',
  path: `${base}/${recipePath}/download_urls`,
  cost: 'usual',
  params: recipeParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the download URLs of a Conan recipe',
  run: async ({ ctx, params }) => downloadUrls(ctx, params, await newestRecipe(ctx, params)),
})

export const conanRecipeUploadUrls = operation({
  ...conan,
  method: 'POST',
  path: `${base}/${recipePath}/upload_urls`,
  cost: 'usual',
  params: recipeParams,
  requires: publishing,
  body: sizes,
  reply: jsonReply,
  summary: 'Get upload URLs for a Conan recipe',
  run: async ({ ctx, params, body }) => uploadUrls(ctx, params, { revision: noRevision }, Object.keys(body)),
})

export const conanRemoveFiles = operation({
  ...conan,
  method: 'POST',
  path: `${base}/${recipePath}/remove_files`,
  cost: 'usual',
  params: recipeParams,
  requires: changing,
  body: removedFiles,
  reply: { 200: 'empty' },
  summary: 'Delete files of a Conan recipe',
  run: ({ ctx, params, body: { files } }) => removeRecipeFiles(ctx, params, files),
})

export const conanRemoveBinaries = operation({
  ...conan,
  method: 'POST',
  path: `${base}/${recipePath}/packages/delete`,
  cost: 'usual',
  params: recipeParams,
  requires: changing,
  body: removedBinaries,
  reply: { 200: 'empty' },
  summary: 'Delete binaries of a Conan recipe',
  run: ({ ctx, params, body: { package_ids: ids } }) => removeBinaries(ctx, params, ids),
})

export const conanBinarySums = operation({
  ...conan,
  method: 'GET',
  path: binaryPath,
  cost: 'usual',
  params: binaryParams,
  requires: reading,
  reply: jsonReply,
  summary: 'List the files of a Conan binary with their checksums',
  run: async ({ ctx, params }) => sumsOf(ctx, params, await newestBinary(ctx, params, params.binary)),
})

export const conanBinaryDigest = operation({
  ...conan,
  method: 'GET',
  path: `${binaryPath}/digest`,
  cost: 'usual',
  params: binaryParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the URL of the list of files of a Conan binary',
  run: async ({ ctx, params }) =>
    downloadUrls(ctx, params, await newestBinary(ctx, params, params.binary), manifestFile),
})

export const conanBinaryDownloadUrls = operation({
  ...conan,
  method: 'GET',
  path: `${binaryPath}/download_urls`,
  cost: 'usual',
  params: binaryParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the download URLs of a Conan binary',
  run: async ({ ctx, params }) => downloadUrls(ctx, params, await newestBinary(ctx, params, params.binary)),
})

export const conanBinaryUploadUrls = operation({
  ...conan,
  method: 'POST',
  path: `${binaryPath}/upload_urls`,
  cost: 'usual',
  params: binaryParams,
  requires: publishing,
  body: sizes,
  reply: jsonReply,
  summary: 'Get upload URLs for a Conan binary',
  run: async ({ ctx, params, body }) => {
    const location = { revision: noRevision, binary: { id: params.binary, revision: noRevision } }
    return uploadUrls(ctx, params, location, Object.keys(body))
  },
})

export const conanGetRecipeFile1 = operation({
  ...conan,
  method: 'GET',
  path: recipeFilePath,
  cost: 'usual',
  params: recipeFileParams,
  requires: reading,
  reply: storedReplies,
  summary: 'Download a file of a Conan recipe (protocol version 1)',
  run: async ({ ctx, params, call }) =>
    servePackageFile(ctx, await getFileOfRevision(ctx, params, { revision: params.revision }, params.filename), call),
})

export const conanPutRecipeFile1 = operation({
  ...conan,
  method: 'PUT',
  path: recipeFilePath,
  cost: 'usual',
  params: recipeFileParams,
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a file of a Conan recipe (protocol version 1)',
  run: ({ ctx, params, call }) => takeFile(ctx, params, { revision: params.revision }, params.filename, call),
})

export const conanGetBinaryFile1 = operation({
  ...conan,
  method: 'GET',
  path: binaryFilePath,
  cost: 'usual',
  params: binaryFileParams,
  requires: reading,
  reply: storedReplies,
  summary: 'Download a file of a Conan binary (protocol version 1)',
  run: async ({ ctx, params, call }) =>
    servePackageFile(ctx, await getFileOfRevision(ctx, params, binaryOwner(params), params.filename), call),
})

export const conanPutBinaryFile1 = operation({
  ...conan,
  method: 'PUT',
  path: binaryFilePath,
  cost: 'usual',
  params: binaryFileParams,
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a file of a Conan binary (protocol version 1)',
  run: ({ ctx, params, call }) => takeFile(ctx, params, binaryOwner(params), params.filename, call),
})
