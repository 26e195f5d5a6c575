import type { Readable } from 'node:stream'
import type { SubjectCtx } from '../../access/context.ts'
import { getVersionWithMetadata } from '../catalog/catalog.service.ts'
import { storeContents } from '../content/content.service.ts'
import { updateVersionMetadata } from '../catalog/describe.service.ts'
import { publishVersion, refuseSize, uploadLimit, type PublishCtx } from '../publish.service.ts'
import { crateFileName, crateOf, type CargoMetadata } from './cargo.rules.ts'
import { readPublishBody } from './publish-body.ts'

const type = 'cargo'

/** Publishes a crate from the body of `cargo publish`. */
export async function publishCrate(ctx: PublishCtx, body: Readable, signal: AbortSignal): Promise<void> {
  const maxBytes = uploadLimit(ctx, ctx.config.packages.limitSizeCargo)
  const { description, sizeBytes, archive } = await readPublishBody(body)
  const crate = crateOf(description)
  await refuseSize(ctx, sizeBytes, maxBytes)
  await storeContents(ctx, async (receive) => {
    const content = await receive(archive, maxBytes, signal)
    const fileName = crateFileName(crate.name, crate.version)
    await publishVersion(ctx, { type, ...crate, ifExists: 'refuse', files: [{ fileName, isLead: true, content }] })
  })
}

/** Yanks or restores a version. A yanked version is only used where a lock file names it. */
export async function yank(ctx: SubjectCtx, name: string, version: string, isYanked: boolean): Promise<void> {
  const found = await getVersionWithMetadata(ctx, type, name, version)
  await updateVersionMetadata<CargoMetadata>(ctx, found, (known) => ({ ...known, isYanked }))
}
