import { BadRequest } from '../../lib/errors.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { recordOf, textIn, type JsonRecord } from '../registry/json-text.rules.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { semverOf } from '../registry/semver.rules.ts'

const wanted = { name: /^pubspec\.yaml$/, maxBytes: 256 << 10, count: 1 }
const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Metadata of a version: its description. */
export interface PubMetadata {
  readonly pubspec: JsonRecord
}

/** Publishes a package from its archive. Returns its name and version. */
export async function publishArchive(ctx: PublishCtx, incoming: IncomingFile) {
  return receiveUpload(ctx, incoming, ctx.config.packages.limitSizePub, async ({ arrived }) => {
    const [{ readTar }, { parseYaml }] = await Promise.all([import('../formats/tar.ts'), import('../formats/yaml.ts')])
    const [found] = await readTar(ctx, archiveIn(ctx, arrived), wanted)
    if (!found) throw new BadRequest('the archive holds no pubspec.yaml', 'pubspec_missing')
    const pubspec = recordOf(parseYaml(found.content.toString('utf8')))
    const name = textIn(pubspec['name'])
    const version = semverOf(pubspec['version'])
    if (!nameForm.test(name)) throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
    if (version === undefined) throw new BadRequest('the version is not a semantic version', 'package_version_invalid')
    const files = [{ fileName: `${version}.tar.gz`, isLead: true, content: arrived }]
    await publishVersion(ctx, { type: 'pub', name, version, metadata: { pubspec }, ifExists: 'refuse', files })
    return { name, version }
  })
}
