import { isAbsolute, resolve } from 'node:path'
import type { RawSettings } from './raw-settings.ts'
import { bool, choice, SettingError, text } from './setting.ts'
import { trimBoth, trimTrailing } from '../lib/trim-ends.ts'

/** The storage of one kind of blob. */
export type StorageSettings = LocalStorageSettings | S3StorageSettings

export interface LocalStorageSettings {
  readonly type: 'local'
  /** An absolute path. */
  readonly path: string
}

export interface S3StorageSettings {
  readonly type: 's3'
  /** The service URL with its scheme. */
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly bucket: string
  readonly region: string
  /** The prefix of all keys; empty or with a trailing `/`. */
  readonly basePath: string
  readonly usePathStyle: boolean
  readonly skipTlsVerify: boolean
  /** Whether downloads redirect to presigned URLs of the service. */
  readonly serveDirect: boolean
}

/** The kinds of blobs. Each lists the sections that can configure its storage, most specific first. */
const storageSections = {
  attachments: ['attachment', 'storage.attachments'],
  lfs: ['lfs', 'storage.lfs'],
  packages: ['packages', 'storage.packages'],
  avatars: ['avatar', 'storage.avatars'],
  repoAvatars: ['repo-avatar', 'storage.repo-avatars'],
  repoArchive: ['repo-archive', 'storage.repo-archive'],
  actionsLog: ['actions.log', 'storage.actions_log'],
  actionsArtifacts: ['actions.artifacts', 'storage.actions_artifacts'],
} as const

/** The packs of repositories, with `[repository].STORAGE = blobs`. */
const packSections = { repositories: ['storage.repositories'] } as const

export type StorageKind = keyof typeof storageSections
export const storageKinds = Object.keys(storageSections) as readonly StorageKind[]

export type StorageConfig = { readonly [Kind in StorageKind]: StorageSettings }

type AnyKind = StorageKind | keyof typeof packSections

const folderNames: Readonly<Record<AnyKind, string>> = {
  repositories: 'repositories',
  attachments: 'attachments',
  lfs: 'lfs',
  packages: 'packages',
  avatars: 'avatars',
  repoAvatars: 'repo-avatars',
  repoArchive: 'repo-archive',
  actionsLog: 'actions_log',
  actionsArtifacts: 'actions_artifacts',
}

/** The storage keys, for documentation and the list of known keys. Any section of a kind can contain each of them. */
export const storageKeys = {
  storageType: text(
    'STORAGE_TYPE',
    'local',
    'local, minio (any S3-compatible service) or the name of a [storage.NAME] section',
  ),
  path: text('PATH', '', 'folder of local storage; empty is one in the data folder'),
  serveDirect: bool('SERVE_DIRECT', false, 'whether downloads are redirected to signed URLs of the service'),
  endpoint: text('MINIO_ENDPOINT', 'localhost:9000', 'host:port or URL of the service'),
  accessKeyId: text('MINIO_ACCESS_KEY_ID', '', 'access key there'),
  secretAccessKey: text('MINIO_SECRET_ACCESS_KEY', '', 'its secret'),
  bucket: text('MINIO_BUCKET', 'gitea', 'bucket'),
  bucketLookup: choice(
    'MINIO_BUCKET_LOOKUP',
    ['auto', 'dns', 'path'],
    'auto',
    'how the bucket is named in a URL; auto is path',
    {
      synonyms: { bucketlookupauto: 'auto', bucketlookupdns: 'dns', bucketlookuppath: 'path' },
    },
  ),
  region: text('MINIO_LOCATION', 'us-east-1', 'region'),
  basePath: text('MINIO_BASE_PATH', '', 'put before every key; empty is the name of the kind'),
  useSsl: bool('MINIO_USE_SSL', false, 'whether the service speaks https'),
  skipTlsVerify: bool('MINIO_INSECURE_SKIP_VERIFY', false, 'whether any certificate is believed'),
} as const

/** Returns whether a section (lower case) can contain the storage keys. */
export const isStorageSection = (section: string): boolean =>
  section === 'storage' ||
  section.startsWith('storage.') ||
  Object.values(storageSections).some(([own]) => own === section)

type Report = (section: string, key: string, reason: string) => void
type Read = (section: string, value: string) => string

/**
 * Determines the storage of each kind of blob, and of packs when the instance `storesPacks`. A key is searched in the kind's own section, in `[storage.<kind>]`, in
 * the `[storage.NAME]` that STORAGE_TYPE names, then in `[storage]`. This is the family's order.
 */
export function readStorage(
  raw: RawSettings,
  read: Read,
  report: Report,
  workPath: string,
  blobsFolder: string,
  avatarTypes: Readonly<{ avatars: string; repoAvatars: string }>,
  storesPacks: boolean,
): { readonly storage: StorageConfig; readonly packStorage: StorageSettings | undefined } {
  const readKind = (kind: AnyKind): StorageSettings => {
    const chain: string[] = [...{ ...storageSections, ...packSections }[kind], 'storage']
    const lookup = (key: string): { section: string; value: string } | undefined => {
      for (const section of chain) {
        const given = raw.own(section, key)
        if (given !== undefined) {
          return { section, value: given.isInterpolated ? read(section, given.text) : given.text }
        }
      }
      return undefined
    }
    const value = <T>(setting: { key: string; defaultValue: T; parse: (text: string) => T }): T => {
      const given = lookup(setting.key)
      if (given === undefined || given.value === '') return setting.defaultValue
      try {
        return setting.parse(given.value)
      } catch (error) {
        if (!(error instanceof SettingError)) throw error
        report(given.section, setting.key, error.message)
        return setting.defaultValue
      }
    }
    const shorthand = kind === 'avatars' || kind === 'repoAvatars' ? avatarTypes[kind] : ''
    let type = shorthand === '' ? value(storageKeys.storageType) : shorthand
    if (!isBackend(type)) {
      const named = `storage.${type.toLowerCase()}`
      if (!raw.names().includes(named)) {
        report(
          lookup('STORAGE_TYPE')?.section ?? 'picture',
          'STORAGE_TYPE',
          `must be local, minio or the name of a section: there is no [${named}]`,
        )
        return { type: 'local', path: blobsFolder }
      }
      chain.splice(-1, 0, named)
      type = raw.own(named, 'STORAGE_TYPE')?.text ?? 'local'
    }
    if (type.toLowerCase() === 'local') {
      return { type: 'local', path: localPath(kind, lookup('PATH'), workPath, blobsFolder) }
    }
    if (!isBackend(type)) {
      report(chain.at(-2) ?? 'storage', 'STORAGE_TYPE', 'must be local or minio')
      return { type: 'local', path: blobsFolder }
    }
    const endpoint = value(storageKeys.endpoint)
    const url = /^https?:\/\//.test(endpoint)
      ? endpoint
      : `${value(storageKeys.useSsl) ? 'https' : 'http'}://${endpoint}`
    if (!URL.canParse(url)) {
      report(lookup('MINIO_ENDPOINT')?.section ?? 'storage', 'MINIO_ENDPOINT', 'must be host:port or a URL')
    }
    const given = lookup('MINIO_BASE_PATH')
    const basePath = trimBoth(
      given === undefined || given.value === ''
        ? folderNames[kind]
        : // A base path for all kinds gets one subfolder per kind.
          given.section === 'storage'
          ? `${trimTrailing(given.value, '/')}/${folderNames[kind]}`
          : given.value,
      '/',
    )
    return {
      type: 's3',
      endpoint: url,
      accessKeyId: value(storageKeys.accessKeyId),
      secretAccessKey: value(storageKeys.secretAccessKey),
      bucket: value(storageKeys.bucket),
      region: value(storageKeys.region),
      basePath: basePath === '' ? '' : `${basePath}/`,
      usePathStyle: value(storageKeys.bucketLookup) !== 'dns',
      skipTlsVerify: value(storageKeys.skipTlsVerify),
      serveDirect: value(storageKeys.serveDirect),
    }
  }
  const storage = {
    attachments: readKind('attachments'),
    lfs: readKind('lfs'),
    packages: readKind('packages'),
    avatars: readKind('avatars'),
    repoAvatars: readKind('repoAvatars'),
    repoArchive: readKind('repoArchive'),
    actionsLog: readKind('actionsLog'),
    actionsArtifacts: readKind('actionsArtifacts'),
  }
  return { storage, packStorage: storesPacks ? readKind('repositories') : undefined }
}

const isBackend = (type: string): boolean => /^(local|minio|s3)$/i.test(type)

function localPath(
  kind: AnyKind,
  given: { section: string; value: string } | undefined,
  workPath: string,
  blobsFolder: string,
): string {
  if (given === undefined || given.value === '') return resolve(blobsFolder, folderNames[kind])
  const folder = isAbsolute(given.value) ? given.value : resolve(workPath, given.value)
  // A folder for all kinds gets one subfolder per kind.
  return given.section === 'storage' ? resolve(folder, folderNames[kind]) : folder
}
