import type { Generated, Insertable, Selectable } from 'kysely'
import type {
  PackageBlobId,
  PackageFileId,
  PackageId,
  PackageRuleId,
  PackageVersionId,
  RepoId,
  UserId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A package: one name in one registry of an owner. It is deleted with its last version. */
export interface PackageTable {
  id: Generated<PackageId>
  owner_id: UserId
  /** The linked repository, which has the same owner. */
  repo_id: RepoId | null
  /** The registry: `generic`, `npm` and so on. */
  type: string
  /** The spelling of the first upload; names are case-insensitive. */
  name: string
  lower_name: string
  created_unix: Unix
}

export interface PackageVersionTable {
  id: Generated<PackageVersionId>
  package_id: PackageId
  /** Copies of the package's owner and type, which never change, so that lists need no join. */
  owner_id: UserId
  type: string
  version: string
  lower_version: string
  /** The account may be deleted. */
  creator_id: UserId
  download_count: number
  created_unix: Unix
  /** Whether the registry uses the version internally; no list shows it. */
  is_internal: Generated<boolean>
}

/** Stored file contents. Files share one copy of each content. */
export interface PackageBlobTable {
  id: Generated<PackageBlobId>
  /** Hexadecimal, like the other digests. */
  sha256: string
  sha512: string
  sha1: string
  md5: string
  size_bytes: number
  /** Each upload gets a new key, so a deletion cannot remove a content that was just uploaded again. */
  blob_key: string
  created_unix: Unix
  /** When the last reference by a file was removed most recently; null when none was removed. */
  released_unix: Unix | null
}

export interface PackageFileTable {
  id: Generated<PackageFileId>
  version_id: PackageVersionId
  blob_id: PackageBlobId
  name: string
  lower_name: string
  /** Distinguishes files of one name where the registry needs it (distribution, channel, group); empty otherwise. */
  file_key: string
  /** Whether a download of the file counts as a download of the version. */
  is_lead: boolean
  size_bytes: number
  created_unix: Unix
}

/** Registry metadata of a version, as JSON. */
export interface PackageVersionMetadataTable {
  version_id: PackageVersionId
  body: string
}

/** Registry metadata of a file, as JSON. */
export interface PackageFileMetadataTable {
  file_id: PackageFileId
  body: string
}

/** A tag: an alias of one version of a package. */
export interface PackageTagTable {
  package_id: PackageId
  name: string
  version_id: PackageVersionId
}

/** Counts the changes in a registry of an owner. */
export interface PackageRevisionTable {
  owner_id: UserId
  type: string
  revision: number
  changed_unix: Unix
}

/** The key that signs the indexes of an owner's registry. */
export interface PackageKeyTable {
  id: Generated<number>
  owner_id: UserId
  type: string
  /** Sealed with the instance key. */
  sealed_key: string
  public_key: string
  created_unix: Unix
}

/** An unfinished upload of an image blob. */
export interface PackageUploadTable {
  id: Generated<number>
  uuid: string
  owner_id: UserId
  lower_name: string
  creator_id: UserId
  upload_key: string
  size_bytes: number
  /** Received and arriving bytes, charged to the owner. */
  reserved_bytes: Generated<number>
  /** Until when a request appends to the upload; 0: no request does. */
  busy_until_unix: Unix
  created_unix: Unix
}

/** A packed part of an index: the entries of consecutive files. The server rebuilds a missing part. */
export interface PackageIndexPartTable {
  /** The first file of the part. */
  file_id: PackageFileId
  /** The name of the index. */
  name: string
  /** Digest of all inputs of the part. A different digest means that the part must be rebuilt. */
  members: string
  /** The size before packing. */
  size_bytes: number
  packed: Buffer
}

/** An upstream registry: the server fetches from it the packages that the owner's registry lacks. */
export interface PackageUpstreamTable {
  id: Generated<number>
  owner_id: UserId
  type: string
  /** Without a trailing slash. */
  url: string
  /** The user name for basic authentication; empty for a bearer token or no credentials. */
  user_name: string
  /** Sealed with the instance key. */
  sealed_secret: string | null
  /** JSON: patterns of package names that are never fetched from upstream. */
  reserved: string
  created_unix: Unix
}

/** The manifests that an image manifest references. */
export interface PackageReferenceTable {
  version_id: PackageVersionId
  package_id: PackageId
  /** The digest of the other manifest, with its algorithm. */
  digest: string
  /**
   * Whether the digest is the `subject` of this manifest. Otherwise this manifest is an index and the digest is its
   * member.
   */
  is_subject: boolean
}

/** A cleanup rule: which versions of an owner's packages of one type are deleted automatically. */
export interface PackageCleanupRuleTable {
  id: Generated<PackageRuleId>
  owner_id: UserId
  type: string
  is_enabled: boolean
  /** Keep this number of the newest versions of each package. */
  keep_count: number
  /** Keep matching versions; empty matches none. */
  keep_pattern: string
  /** Keep younger versions; 0 keeps none. */
  remove_days: number
  /** Keep versions that do not match; empty keeps none. */
  remove_pattern: string
  /** Whether the patterns match `name/version` instead of the version. */
  matches_full_name: boolean
  /** The account that last changed the rule. */
  doer_id: UserId
  created_unix: Unix
  updated_unix: Unix
  /** The last execution: its time, the number of deleted versions, and the error that stopped it. */
  ran_unix: Unix | null
  removed_count: Generated<number>
  problem: Generated<string>
}

export interface PackageTables {
  package: PackageTable
  package_version: PackageVersionTable
  package_blob: PackageBlobTable
  package_file: PackageFileTable
  package_version_metadata: PackageVersionMetadataTable
  package_file_metadata: PackageFileMetadataTable
  package_tag: PackageTagTable
  package_revision: PackageRevisionTable
  package_key: PackageKeyTable
  package_upload: PackageUploadTable
  package_index_part: PackageIndexPartTable
  package_upstream: PackageUpstreamTable
  package_reference: PackageReferenceTable
  package_cleanup_rule: PackageCleanupRuleTable
}

export type PackageRow = Selectable<PackageTable>
export type NewPackageRow = Insertable<PackageTable>
export type PackageVersionRow = Selectable<PackageVersionTable>
export type NewPackageVersionRow = Insertable<PackageVersionTable>
export type PackageBlobRow = Selectable<PackageBlobTable>
export type NewPackageBlobRow = Insertable<PackageBlobTable>
export type PackageFileRow = Selectable<PackageFileTable>
export type NewPackageFileRow = Insertable<PackageFileTable>
export type PackageKeyRow = Selectable<PackageKeyTable>
export type PackageUploadRow = Selectable<PackageUploadTable>
export type PackageIndexPartRow = Selectable<PackageIndexPartTable>
export type NewPackageUploadRow = Insertable<PackageUploadTable>
/** The id is for re-encryption, which iterates over all sealed values. */
export type PackageUpstreamRow = Omit<Selectable<PackageUpstreamTable>, 'id'>
export type PackageReferenceRow = Selectable<PackageReferenceTable>
export type PackageCleanupRuleRow = Selectable<PackageCleanupRuleTable>
export type NewPackageCleanupRuleRow = Insertable<PackageCleanupRuleTable>
