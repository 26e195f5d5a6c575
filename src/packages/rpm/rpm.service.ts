import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { NotFound } from '../../lib/errors.ts'
import { getFileNames } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { FileRecord } from '../content/file.store.ts'
import type { RpmPackage } from '../formats/rpm.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { getStoredIndex, type StoredIndex } from '../indexes/stored-index.service.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getNamedFile, removeNamedFile } from '../package.service.ts'
import { receiveUpload, publishVersion, uploadLimit, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { registryUrl } from '../registry/registry-url.rules.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { signText } from '../indexes/signing.service.ts'
import { documents, repomd, type DocumentName, type IndexedRpm } from './index-xml.rules.ts'
import { checkNames, rpmFileName, versionOf, type NamedRpm } from './rpm.rules.ts'

const type = 'rpm'

/** Publishes a package into a group, optionally signed by the owner's key. */
export async function publishRpm(
  ctx: PublishCtx,
  group: string,
  incoming: IncomingFile,
  { isSigned }: { readonly isSigned: boolean },
): Promise<void> {
  const limitBytes = ctx.config.packages.limitSizeRpm
  await receiveUpload(ctx, incoming, limitBytes, async ({ arrived, receive }) => {
    const { readRpm } = await import('../formats/rpm.ts')
    const read = await readRpm(archiveIn(ctx, arrived))
    checkNames(read.described)
    let content = arrived
    let { described } = read
    if (isSigned) {
      const { signedRpm } = await import('./sign-rpm.ts')
      const signed = await signedRpm(ctx, archiveIn(ctx, arrived), read)
      content = await receive(signed.content, uploadLimit(ctx, limitBytes), incoming.signal)
      described = { ...described, header: signed.header }
    }
    const { name, architecture } = described
    const version = versionOf(described)
    const { summary, description, license, url } = described
    await publishVersion(ctx, {
      type,
      name,
      version,
      metadata: { summary, description, license, url },
      files: [
        {
          fileName: rpmFileName(name, version, architecture),
          fileKey: group,
          isLead: true,
          content,
          metadata: described,
        },
      ],
    })
  })
}

/** The documents of a group, and `repomd.xml` with its signature. */
interface Repository {
  readonly documents: Readonly<Record<DocumentName, StoredIndex>>
  readonly list: string
  readonly signature: string
}

function indexed(file: FileWithMetadata): IndexedRpm {
  const described = metadataOf<RpmPackage>(file)
  const version = versionOf(described)
  const folder = [described.name, version, described.architecture].map(encodeURIComponent).join('/')
  return {
    described,
    sha256: file.sha256,
    sizeBytes: file.size_bytes,
    createdUnix: file.created_unix,
    href: `package/${folder}/${encodeURIComponent(file.name)}`,
  }
}

/** Returns the indexes of a group. */
const getRepository = (ctx: SubjectCtx, group: string): Promise<Repository> =>
  cachedByRevision(ctx, type, `group ${group}`, async (changedUnix) => {
    const files = (await getFileNames(ctx, type)).filter((file) => file.file_key === group)
    if (files.length === 0) throw new NotFound('there are no packages', 'package_not_found')
    const make = (name: DocumentName): Promise<StoredIndex> => {
      const { head, tail, entry } = documents[name]
      const plan = {
        name: `rpm-${name}-1`,
        fileIds: files.map(({ id }) => id),
        entry: (file: FileWithMetadata) => entry(indexed(file)),
      }
      return getStoredIndex(ctx, plan, ['sha256'], () => ({ head: head(files.length), tail }))
    }
    const made = { primary: await make('primary'), filelists: await make('filelists'), other: await make('other') }
    const sums = (['primary', 'filelists', 'other'] as const).map((name) => ({
      name,
      sha256: made[name].gz.digests['sha256'] ?? '',
      sizeBytes: made[name].gz.sizeBytes,
      openSha256: made[name].plain.digests['sha256'] ?? '',
      openSizeBytes: made[name].plain.sizeBytes,
    }))
    const list = repomd(sums, changedUnix)
    const { detached } = await signText(ctx, type, list)
    return { documents: made, list, signature: detached }
  })

/** Returns a file of a group's index. Throws `NotFound` for other names. */
export async function getIndexFile(ctx: SubjectCtx, group: string, name: string): Promise<string | Buffer> {
  const { documents: made, list, signature } = await getRepository(ctx, group)
  if (name === 'repomd.xml') return list
  if (name === 'repomd.xml.asc') return signature
  const [, document] = /^(primary|filelists|other)\.xml\.gz$/.exec(name) ?? []
  if (document === undefined) throw new NotFound('the index does not exist', 'package_file_not_found')
  return made[document as DocumentName].packed
}

/** Returns the client configuration for a group. */
export function settingsOf(ctx: SubjectCtx, group: string): string {
  const base = registryUrl(ctx, type)
  const parts = [ctx.subject.name, ...group.split('/').filter((part) => part !== '')]
  const about = {
    name: parts.join(' - '),
    baseurl: [base, ...parts.slice(1).map(encodeURIComponent)].join('/'),
    enabled: 1,
    gpgcheck: 1,
    repo_gpgcheck: 1,
    gpgkey: `${base}/repository.key`,
  }
  const lines = Object.entries(about).map(([key, value]) => `${key}=${value}`)
  return `[${parts.join('-')}]\n${lines.join('\n')}\n`
}

const fileOf = ({ group, name, version, architecture }: NamedRpm) => ({
  type,
  name,
  version,
  fileName: rpmFileName(name, version, architecture),
  fileKey: group,
})

/** Returns a package of a group, or throws `NotFound`. */
export const getRpm = (ctx: SubjectCtx, named: NamedRpm): Promise<FileRecord> => getNamedFile(ctx, fileOf(named))

/** Removes a package from a group. */
export const removeRpm = (ctx: SubjectCtx & SignedInCtx, named: NamedRpm): Promise<void> =>
  removeNamedFile(ctx, fileOf(named))
