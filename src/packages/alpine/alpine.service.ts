import { createHash, createPublicKey, generateKeyPair, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { getFileNames, type FileName } from '../catalog/catalog.service.ts'
import type { FileWithMetadata } from '../catalog/catalog.store.ts'
import type { FileRecord } from '../content/file.store.ts'
import { archiveIn } from '../formats/stored-archive.ts'
import { tarEnd, tarHead, tarPadding } from '../formats/tar-entry.ts'
import { getStoredIndex } from '../indexes/stored-index.service.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { comparable, noFile } from '../package.rules.ts'
import { getFiles, getVersion, removeFile } from '../package.service.ts'
import { receiveUpload, publishVersion, type IncomingFile, type PublishCtx } from '../publish.service.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { getSigningKey, openSealedKey, type MakeKey } from '../indexes/signing.service.ts'
import {
  anyArch,
  apkName,
  architectureIn,
  namedByFile,
  paragraph,
  alpineFileKey,
  usualArch,
  type AlpineMetadata,
  type AlpineRepository,
} from './alpine.rules.ts'

const type = 'alpine'
const compress = promisify(gzip)
const makePair = promisify(generateKeyPair)

/** Publishes a package into a repository. */
export async function publishApk(ctx: PublishCtx, location: AlpineRepository, incoming: IncomingFile): Promise<void> {
  alpineFileKey(location, anyArch)
  await receiveUpload(ctx, incoming, ctx.config.packages.limitSizeAlpine, async ({ arrived }) => {
    const { readApk } = await import('./apk.ts')
    const { name, version, architecture, metadata } = await readApk(archiveIn(ctx, arrived))
    const fileKey = alpineFileKey(location, architecture)
    const files = [{ fileName: apkName(name, version), fileKey, isLead: true, content: arrived, metadata }]
    await publishVersion(ctx, { type, name, version, metadata: metadata.fields, files })
  })
}

/** apk supports RSA keys only. */
const makeRsaKey: MakeKey = async () => {
  const { privateKey, publicKey } = await makePair('rsa', {
    modulusLength: 4096,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return { privateKey, publicKey }
}

/** Returns the public key of the owner's repositories, and its file name, by which apk finds it. */
export async function getKey(ctx: SubjectCtx): Promise<{ readonly publicKey: string; readonly fileName: string }> {
  const { public_key: publicKey } = await getSigningKey(ctx, type, makeRsaKey)
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' })
  const fingerprint = createHash('sha256').update(der).digest('hex')
  return { publicKey, fileName: `${ctx.subject.lower_name}@${fingerprint.slice(0, 16)}.rsa.pub` }
}

/** Returns the files in the index of a repository for an architecture. */
function filesFor(files: readonly FileName[], location: AlpineRepository, architecture: string): FileName[] {
  const here = files.flatMap((file) => {
    const own = architectureIn(file.file_key, location)
    return own === undefined ? [] : [{ file, own }]
  })
  const isKnown = here.some(({ own }) => own === architecture)
  const isUsual = architecture === usualArch && here.every(({ own }) => own === anyArch)
  if (!isKnown && !isUsual) return []
  const special = new Set(here.flatMap(({ file, own }) => (own === architecture ? [file.name] : [])))
  return here
    .filter(({ file, own }) => own === architecture || (own === anyArch && !special.has(file.name)))
    .map(({ file }) => file)
}

/** Returns the signed index of a repository for an architecture. Throws `NotFound` for an empty one. */
export async function getIndex(ctx: SubjectCtx, location: AlpineRepository, architecture: string): Promise<Buffer> {
  const { index } = await cachedByRevision(
    ctx,
    type,
    `index ${alpineFileKey(location, architecture)}`,
    async (changedUnix) => {
      const files = filesFor(await getFileNames(ctx, type), location, architecture)
      if (files.length === 0) throw noFile()
      const plan = {
        name: `alpine-${architecture}-1`,
        fileIds: files.map(({ id }) => id),
        entry: (file: FileWithMetadata) => paragraph(metadataOf<AlpineMetadata>(file), architecture, file.size_bytes),
      }
      const about = Buffer.from(`${ctx.subject.name} ${location.branch}/${location.repository}\n`)
      const { packed } = await getStoredIndex(ctx, plan, [], (sizeBytes) => ({
        head: Buffer.concat([
          tarHead('DESCRIPTION', about.length, changedUnix),
          about,
          tarPadding(about.length),
          tarHead('APKINDEX', sizeBytes, changedUnix),
        ]),
        tail: Buffer.concat([tarPadding(sizeBytes), tarEnd]),
      }))
      return { index: Buffer.concat([await signatureOf(ctx, packed, changedUnix), packed]) }
    },
  )
  return index
}

const signAsync = promisify(sign)

/** Returns the signature segment of an index, a gzip member of its own. apk expects SHA-1 under this name. */
async function signatureOf(ctx: SubjectCtx, content: Buffer, changedUnix: number): Promise<Buffer> {
  const { fileName } = await getKey(ctx)
  const signature = await signAsync('sha1', content, await openSealedKey(ctx, type, makeRsaKey))
  const head = tarHead(`.SIGN.RSA.${fileName}`, signature.length, changedUnix)
  return compress(Buffer.concat([head, signature, tarPadding(signature.length)]))
}

/** Finds a package of a repository by an architecture that it runs on. */
async function findApk(ctx: SubjectCtx, location: AlpineRepository, architecture: string, fileName: string) {
  const named = namedByFile(fileName)
  if (!named) throw noFile()
  const version = await getVersion(ctx, { type, ...named })
  const files = (await getFiles(ctx, version)).filter((file) => file.lower_name === comparable(fileName))
  for (const own of [architecture, anyArch]) {
    const file = files.find(({ file_key: key }) => key === alpineFileKey(location, own))
    if (file) return { version, file }
  }
  throw noFile()
}

/** Returns a package of a repository by its file name. */
export const getApk = async (...named: Parameters<typeof findApk>): Promise<FileRecord> =>
  (await findApk(...named)).file

/** Removes a package from a repository; a package for all architectures disappears from all of them. */
export async function removeApk(
  ctx: SubjectCtx & SignedInCtx,
  location: AlpineRepository,
  architecture: string,
  fileName: string,
): Promise<void> {
  const { version, file } = await findApk(ctx, location, architecture, fileName)
  await removeFile(ctx, version, file)
}
