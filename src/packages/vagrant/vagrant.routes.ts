import { signedIn } from '../../access/requirements.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { jsonType, type ErrorForm } from '../../http/error-forms.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { getFilesOfVersions, getPackageWithVersions } from '../catalog/catalog.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { packagesOn } from '../package.requirements.ts'
import { getNamedFile } from '../package.service.ts'
import { json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { urlBelow } from '../registry/registry-url.rules.ts'
import { compareSemver } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { publishBox, type VagrantMetadata } from './vagrant.service.ts'

const type = 'vagrant'
const vagrant = registry(
  type,
  jsonErrors((refusal) => ({ errors: [refusal.message] })),
)

/** This operation answers 401 as JSON; others of the registry answer it as text. */
const signInErrors: ErrorForm = {
  render: (refusal) => ({ contentType: jsonType, body: JSON.stringify({ errors: [refusal.message] }) }),
}

export const vagrantAuthenticate = operation({
  ...vagrant,
  errors: signInErrors,
  method: 'GET',
  path: '/api/packages/{username}/vagrant/authenticate',
  cost: 'usual',
  requires: [packagesOn, signedIn],
  reply: { 200: 'empty' },
  summary: 'Check credentials for Vagrant boxes',
  run: async () => {},
})

export const vagrantUpload = operation({
  ...vagrant,
  method: 'PUT',
  path: '/api/packages/{username}/vagrant/{name}/{version}/{filename}',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a Vagrant box for one provider',
  run: ({ ctx, params, call }) => publishBox(ctx, params, incomingFileOf(call)),
})

export const vagrantMetadata = operation({
  ...vagrant,
  method: 'GET',
  path: '/api/packages/{username}/vagrant/{name}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get the versions and providers of a Vagrant box',
  async run({ ctx, params }) {
    const { row, versions } = await getPackageWithVersions(ctx, type, params.name)
    const files = Map.groupBy(await getFilesOfVersions(ctx, versions), (file) => file.version_id)
    const sorted = versions.toSorted((one, other) => compareSemver(one.version, other.version))
    const newest = sorted.at(-1)
    return json({
      name: row.name,
      description: newest ? metadataOf<VagrantMetadata>(newest).description : '',
      versions: sorted.map((version) => ({
        version: version.version,
        status: 'active',
        providers: (files.get(version.id) ?? []).map((file) => ({
          name: file.name.replace(/\.box$/, ''),
          url: urlBelow(ctx, type, row.name, version.version, file.name),
          checksum: file.sha512,
          checksum_type: 'sha512',
        })),
      })),
    })
  },
})

export const vagrantDownload = operation({
  ...vagrant,
  method: 'GET',
  path: '/api/packages/{username}/vagrant/{name}/{version}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a Vagrant box',
  async run({ ctx, params: { name, version, filename }, call }) {
    const file = await getNamedFile(ctx, { type, name, version, fileName: filename })
    return servePackageFile(ctx, file, call)
  },
})
