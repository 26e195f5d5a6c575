import { ownerUnderQuota } from '../../access/quota/quota.requirements.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { uploadDigests } from '../content/digest.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { mayPublish, mayPull, packagesOn } from '../package.requirements.ts'
import { getNamedFile, getVersion, removeNamedFile, removeVersion } from '../package.service.ts'
import { publishFile } from '../publish.service.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { checkNames } from './generic.rules.ts'

const type = 'generic'

const generic = {
  base: 'site',
  family: 'generic-registry',
  scope: null,
  wrongCredentials: 'refused',
  errors: registryErrors,
} as const

/** Returns the package and version that the path names. */
const named = ({ packagename, packageversion }: { readonly packagename: string; readonly packageversion: string }) => ({
  type,
  name: packagename,
  version: packageversion,
})

export const genericUpload = operation({
  ...generic,
  method: 'PUT',
  path: '/api/packages/{username}/generic/{packagename}/{packageversion}/{filename}',
  cost: 'usual',
  requires: [packagesOn, mayPublish, ownerUnderQuota('size:assets:packages:all')],
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a file of a generic package',
  async run({ ctx, params, call }) {
    const file = { ...named(params), fileName: params.filename }
    checkNames(file)
    const incoming = incomingFileOf(call)
    const { limitSizeGeneric } = ctx.config.packages
    await publishFile(ctx, { ...file, isLead: true }, incoming, limitSizeGeneric, uploadDigests(incoming.sizeBytes))
  },
})

export const genericDownload = operation({
  ...generic,
  method: 'GET',
  path: '/api/packages/{username}/generic/{packagename}/{packageversion}/{filename}',
  cost: 'usual',
  requires: [packagesOn, mayPull],
  reply: storedReplies,
  summary: 'Download a file of a generic package',
  async run({ ctx, params, call }) {
    const file = await getNamedFile(ctx, { ...named(params), fileName: params.filename })
    return servePackageFile(ctx, file, call)
  },
})

export const genericDeleteFile = operation({
  ...generic,
  method: 'DELETE',
  path: '/api/packages/{username}/generic/{packagename}/{packageversion}/{filename}',
  cost: 'usual',
  requires: [packagesOn, mayPublish],
  reply: { 204: 'empty' },
  summary: 'Delete a file of a generic package, and the version with the last one',
  run: ({ ctx, params }) => removeNamedFile(ctx, { ...named(params), fileName: params.filename }),
})

export const genericDeleteVersion = operation({
  ...generic,
  method: 'DELETE',
  path: '/api/packages/{username}/generic/{packagename}/{packageversion}',
  cost: 'usual',
  requires: [packagesOn, mayPublish],
  reply: { 204: 'empty' },
  summary: 'Delete a version of a generic package',
  run: async ({ ctx, params }) => removeVersion(ctx, await getVersion(ctx, named(params))),
})
