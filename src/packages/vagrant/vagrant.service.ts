import { BadRequest } from '../../lib/errors.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { parseJsonRecord, textIn } from '../registry/json-text.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { semverOf } from '../registry/semver.rules.ts'

const wanted = { name: /^(?:metadata|info)\.json$/, maxBytes: 256 << 10, count: 2 }
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

/** Metadata of a version. */
export interface VagrantMetadata {
  readonly description: string
  readonly author: string
  readonly website: string
  readonly repository: string
}

/** The names of a box in a path. */
export interface NamedBox {
  readonly name: string
  readonly version: string
  readonly filename: string
}

/** Checks the names of a box and returns its normalized version. Throws `BadRequest`. */
function checkBox({ name, version, filename }: NamedBox): string {
  const clean = semverOf(version)
  if (!nameForm.test(name)) throw new BadRequest('the name of the box is invalid', 'package_name_invalid')
  if (clean === undefined) throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.box$/.test(filename)) {
    throw new BadRequest('the file name is not PROVIDER.box', 'package_file_name_invalid')
  }
  return clean
}

/** Publishes a box for one provider. */
export async function publishBox(ctx: PublishCtx, box: NamedBox, incoming: IncomingFile): Promise<void> {
  const version = checkBox(box)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeVagrant, async ({ arrived }) => {
    const { readTar } = await import('../formats/tar.ts')
    const found = await readTar(ctx, archiveIn(ctx, arrived), wanted)
    if (!found.some(({ name }) => name === 'metadata.json')) {
      throw new BadRequest('the archive contains no box', 'vagrant_metadata_missing')
    }
    const info = found.find(({ name }) => name === 'info.json')
    const about = info ? parseJsonRecord(info.content) : {}
    const metadata: VagrantMetadata = {
      description: textIn(about['description']),
      author: textIn(about['author']),
      website: textIn(about['website']),
      repository: textIn(about['repository']),
    }
    const files = [{ fileName: box.filename, isLead: true, content: arrived }]
    await publishVersion(ctx, { type: 'vagrant', name: box.name, version, metadata, files })
  })
}
