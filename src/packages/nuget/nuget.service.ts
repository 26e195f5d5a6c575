import { Readable } from 'node:stream'
import { BadRequest } from '../../lib/errors.ts'
import { getVersion } from '../package.service.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx, type Upload } from '../publish.service.ts'
import { nupkgName, nuspecName } from './nuget.rules.ts'

const type = 'nuget'

const wanted = { name: /^[^/]+\.nuspec$/i, maxBytes: 1 << 20, count: 1 }

async function readDescription(ctx: PublishCtx, { arrived }: Upload) {
  const [{ readZip }, { readNuspec }] = await Promise.all([import('../formats/zip.ts'), import('./nuspec.ts')])
  const { files } = await readZip(archiveIn(ctx, arrived), wanted)
  const [nuspec] = files.values()
  if (!nuspec) throw new BadRequest('the archive has no description', 'nuspec_missing')
  return { ...readNuspec(nuspec.toString('utf8')), nuspec }
}

/** Publishes a package from its archive, and its description as a separate file. */
export async function publishPackage(ctx: PublishCtx, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeNuget, async (upload) => {
    const { name, version, metadata, nuspec } = await readDescription(ctx, upload)
    const described = await upload.receive(Readable.from([nuspec]), Infinity, incoming.signal)
    await publishVersion(ctx, {
      type,
      name,
      version,
      metadata,
      ifExists: 'refuse',
      files: [
        { fileName: nupkgName(name, version), isLead: true, content: upload.arrived },
        { fileName: nuspecName(name), isLead: false, content: described },
      ],
    })
  })
}

/** Adds an archive of symbols to its version. */
export async function publishSymbols(ctx: PublishCtx, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeNuget, async (upload) => {
    const { name, version } = await readDescription(ctx, upload)
    const found = await getVersion(ctx, { type, name, version })
    const fileName = `${name}.${version}.snupkg`.toLowerCase()
    const files = [{ fileName, isLead: false, content: upload.arrived }]
    await publishVersion(ctx, { type, name: found.name, version: found.version, files })
  })
}
