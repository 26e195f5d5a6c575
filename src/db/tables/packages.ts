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

/** What an owner publishes under one name of one registry. It goes with its last version. */
export interface PackageTable {
  id: Generated<PackageId>
  owner_id: UserId
  /** The repository of the same owner that it is linked to. */
  repo_id: RepoId | null
  /** The registry: `generic`, `npm` and so on. */
  type: string
  /** As it was first written; names compare without case. */
  name: string
  lower_name: string
  created_unix: Unix
}

export interface PackageVersionTable {
  id: Generated<PackageVersionId>
  package_id: PackageId
  /** Owner and type of its package, which never change, so that lists need no join. */
  owner_id: UserId
  type: string
  version: string
  lower_version: string
  /** The account may be gone. */
  creator_id: UserId
  download_count: number
  created_unix: Unix
  /** Kept by the registry for itself; no list shows it. */
  is_internal: Generated<boolean>
}

/** Contents of files, each stored once however many files of the instance have it. */
export interface PackageBlobTable {
  id: Generated<PackageBlobId>
  /** Hexadecimal, as are the others. */
  sha256: string
  sha512: string
  sha1: string
  md5: string
  size_bytes: number
  /** Never used again for another upload, so that what deletes a file cannot meet one that has just arrived. */
  blob_key: string
  created_unix: Unix
  /** When a file gave it up last; null: every file that ever had it has it still. */
  released_unix: Unix | null
}

export interface PackageFileTable {
  id: Generated<PackageFileId>
  version_id: PackageVersionId
  blob_id: PackageBlobId
  name: string
  lower_name: string
  /** Tells files of one name apart where a registry has such (distribution, channel, group); empty for none. */
  file_key: string
  /** Downloads of it count as downloads of the version. */
  is_lead: boolean
  size_bytes: number
  created_unix: Unix
}

/** What the registry knows of a version, as JSON. */
export interface PackageVersionMetadataTable {
  version_id: PackageVersionId
  body: string
}

/** What the registry knows of a file, as JSON. */
export interface PackageFileMetadataTable {
  file_id: PackageFileId
  body: string
}

/** A name that stands for a version of a package. */
export interface PackageTagTable {
  package_id: PackageId
  name: string
  version_id: PackageVersionId
}

/** Counts changes of what an owner has in a registry. */
export interface PackageRevisionTable {
  owner_id: UserId
  type: string
  revision: number
  changed_unix: Unix
}

/** Signs indexes of an owner's registry. */
export interface PackageKeyTable {
  id: Generated<number>
  owner_id: UserId
  type: string
  /** Sealed with the instance key. */
  sealed_key: string
  public_key: string
  created_unix: Unix
}

/** A content of an image that arrives in parts. */
export interface PackageUploadTable {
  id: Generated<number>
  uuid: string
  owner_id: UserId
  lower_name: string
  creator_id: UserId
  upload_key: string
  size_bytes: number
  /** Bytes that have arrived or are arriving, as charged to the owner. */
  reserved_bytes: Generated<number>
  /** Somebody adds to it until then; 0: nobody. */
  busy_until_unix: Unix
  created_unix: Unix
}

/** Entries of some files in an index, one after the other, packed. It is made again when it is missing. */
export interface PackageIndexPartTable {
  /** The first of the files. */
  file_id: PackageFileId
  /** The index. */
  name: string
  /** Digest of all that it was made of: an index that needs others makes it anew. */
  members: string
  /** Before it was packed. */
  size_bytes: number
  packed: Buffer
}

/** Where an owner's registry asks for what it does not have. */
export interface PackageUpstreamTable {
  id: Generated<number>
  owner_id: UserId
  type: string
  /** Without a slash at its end. */
  url: string
  /** Who signs in there; empty for a token alone, or nobody. */
  user_name: string
  /** Sealed with the instance key. */
  sealed_secret: string | null
  /** Patterns of names that are never asked for, as JSON. */
  reserved: string
  created_unix: Unix
}

/** What the manifest of a version of an image names. */
export interface PackageReferenceTable {
  version_id: PackageVersionId
  package_id: PackageId
  /** The digest of another manifest, with its algorithm. */
  digest: string
  /** It is about that manifest; else it is an index, and that one a part of it. */
  is_subject: boolean
}

/** Which versions of an owner's packages of a type go by themselves. */
export interface PackageCleanupRuleTable {
  id: Generated<PackageRuleId>
  owner_id: UserId
  type: string
  is_enabled: boolean
  /** So many of the newest versions of each package stay. */
  keep_count: number
  /** What fits it stays; empty is nothing. */
  keep_pattern: string
  /** What is younger stays; 0 is nothing. */
  remove_days: number
  /** What does not fit it stays; empty is nothing. */
  remove_pattern: string
  /** The patterns see `name/version`, and else the version. */
  matches_full_name: boolean
  /** Who wrote it last. */
  doer_id: UserId
  created_unix: Unix
  updated_unix: Unix
  /** When it was followed last, how much went then, and why not all of it. */
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
/** Its id is for what goes through all sealed values. */
export type PackageUpstreamRow = Omit<Selectable<PackageUpstreamTable>, 'id'>
export type PackageReferenceRow = Selectable<PackageReferenceTable>
export type PackageCleanupRuleRow = Selectable<PackageCleanupRuleTable>
export type NewPackageCleanupRuleRow = Insertable<PackageCleanupRuleTable>
