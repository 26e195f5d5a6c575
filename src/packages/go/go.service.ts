import { archiveIn } from '../formats/stored-archive.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { moduleOf, usualGoMod } from './go.rules.ts'

const wanted = { name: /^[^@]*@[^/]*\/go\.mod$/, maxBytes: 1 << 20, count: 1 }

/** Publishes a module from its archive. */
export async function publishModule(ctx: PublishCtx, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeGo, async ({ arrived }) => {
    const { readZip } = await import('../formats/zip.ts')
    const { names, files } = await readZip(archiveIn(ctx, arrived), wanted)
    const { name, version } = moduleOf(names)
    const goMod = files.get(`${name}@${version}/go.mod`)?.toString('utf8') ?? usualGoMod(name)
    await publishVersion(ctx, {
      type: 'go',
      name,
      version,
      metadata: { goMod },
      ifExists: 'refuse',
      files: [{ fileName: `${version}.zip`, isLead: true, content: arrived }],
    })
  })
}
