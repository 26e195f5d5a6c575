import { BadRequest } from '../../lib/errors.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { parseJsonRecord, recordOf, textIn, type JsonRecord } from '../registry/json-text.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { semverOf } from '../registry/semver.rules.ts'

const wanted = { name: /^(?:[^/]+\/)?metadata\.json$/, maxBytes: 2 << 20, count: 1 }
const nameForm = /^[^\s/\\]{1,200}$/

/** Metadata of a version. */
export interface ChefMetadata {
  readonly description: string
  readonly longDescription: string
  readonly maintainer: string
  readonly license: string
  readonly sourceUrl: string
  readonly dependencies: JsonRecord
}

/** Publishes a cookbook from its archive. */
export async function publishCookbook(ctx: PublishCtx, incoming: IncomingFile): Promise<void> {
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeChef, async ({ arrived }) => {
    const { readTar } = await import('../formats/tar.ts')
    const [found] = await readTar(ctx, archiveIn(ctx, arrived), wanted)
    if (!found) throw new BadRequest('the archive holds no cookbook', 'chef_metadata_missing')
    const about = parseJsonRecord(found.content)
    const name = textIn(about['name'])
    const version = semverOf(about['version'])
    if (!nameForm.test(name)) throw new BadRequest('the name of the cookbook is invalid', 'package_name_invalid')
    if (version === undefined) throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
    const metadata: ChefMetadata = {
      description: textIn(about['description']),
      longDescription: textIn(about['long_description']),
      maintainer: textIn(about['maintainer']),
      license: textIn(about['license']),
      sourceUrl: textIn(about['source_url']),
      dependencies: recordOf(about['dependencies']),
    }
    const files = [{ fileName: `${version}.tar.gz`, isLead: true, content: arrived }]
    await publishVersion(ctx, { type: 'chef', name, version, metadata, ifExists: 'refuse', files })
  })
}
