import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { getFilesOfType } from '../catalog/catalog.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getIndex, publishChart } from './helm.service.ts'

const helm = registry(
  'helm',
  jsonErrors((refusal) => ({ error: refusal.message })),
)

export const helmUpload = operation({
  ...helm,
  method: 'POST',
  path: '/api/packages/{username}/helm/api/charts',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish or replace a Helm chart',
  run: ({ ctx, call }) => publishChart(ctx, incomingFileOf(call)),
})

export const helmIndex = operation({
  ...helm,
  method: 'GET',
  path: '/api/packages/{username}/helm/index.yaml',
  cost: 'expensive',
  requires: reading,
  reply: { 200: bytesOf('text/yaml') },
  summary: 'Get the index of the Helm charts of an owner',
  run: async ({ ctx }) => bytes('text/yaml;charset=utf-8', await getIndex(ctx)),
})

export const helmDownload = operation({
  ...helm,
  method: 'GET',
  path: '/api/packages/{username}/helm/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a Helm chart',
  async run({ ctx, params, call }) {
    const [file] = await getFilesOfType(ctx, 'helm', { lowerName: params.filename.toLowerCase() })
    if (!file) throw new NotFound('the chart does not exist', 'package_file_not_found')
    return servePackageFile(ctx, file, call)
  },
})
