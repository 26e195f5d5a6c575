import type { Insertable, Selectable } from 'kysely'
import type {
  PackageBlobId,
  PackageFileId,
  PackageId,
  PackageRuleId,
  PackageVersionId,
  RepoId,
  UserId,
} from '../../lib/ids.ts'
import {
  bigint,
  bytes,
  flag,
  id,
  nullable,
  primaryKey,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'

export const packageTables = {
  /** A package: one name in one registry of an owner. It is deleted with its last version. */
  package: table(
    {
      id: id<PackageId>(),
      owner_id: ref<UserId>('user'),
      /** The linked repository, which has the same owner. */
      repo_id: nullable(ref<RepoId>('repo', 'set null')),
      /** The registry: `generic`, `npm` and so on. */
      type: text(),
      /** The spelling of the first upload; names are case-insensitive. */
      name: text(),
      lower_name: text(),
      created_unix: unix(),
    },
    { unique: [['owner_id', 'type', 'lower_name']], indexes: { package_repo: '(repo_id) where repo_id is not null' } },
  ),

  package_version: table(
    {
      id: id<PackageVersionId>(),
      package_id: ref<PackageId>('package'),
      /** Copies of the package's owner and type, which never change, so that lists need no join. */
      owner_id: bigint<UserId>(),
      type: text(),
      version: text(),
      lower_version: text(),
      /** The account may be deleted. */
      creator_id: bigint<UserId>(),
      download_count: bigint(),
      created_unix: unix(),
      /** Whether the registry uses the version internally; no list shows it. */
      is_internal: flag(false),
    },
    {
      unique: [['package_id', 'lower_version']],
      indexes: {
        package_version_list: '(owner_id, is_internal, created_unix, id, package_id)',
        package_version_type: '(owner_id, type, is_internal, created_unix, id, package_id)',
        package_version_bytewise: { sqlite: '', postgres: '(package_id, lower_version collate "C")' },
      },
    },
  ),

  /** Stored file contents. Files share one copy of each content. */
  package_blob: table(
    {
      id: id<PackageBlobId>(),
      /** Hexadecimal, like the other digests. */
      sha256: unique(text()),
      sha512: text(),
      sha1: text(),
      md5: text(),
      size_bytes: bigint(),
      /** Each upload gets a new key, so a deletion cannot remove a content that was just uploaded again. */
      blob_key: unique(text()),
      created_unix: unix(),
      /** When the last reference by a file was removed most recently; null when none was removed. */
      released_unix: nullable(unix()),
    },
    {
      indexes: {
        package_blob_released: '(released_unix) where released_unix is not null',
        package_blob_sha512: '(sha512)',
      },
    },
  ),

  package_file: table(
    {
      id: id<PackageFileId>(),
      version_id: ref<PackageVersionId>('package_version'),
      blob_id: ref<PackageBlobId>('package_blob'),
      name: text(),
      lower_name: text(),
      /** Distinguishes files of one name where the registry needs it (distribution, channel, group); empty otherwise. */
      file_key: text(),
      /** Whether a download of the file counts as a download of the version. */
      is_lead: flag(),
      size_bytes: bigint(),
      created_unix: unix(),
    },
    { unique: [['version_id', 'lower_name', 'file_key']], indexes: { package_file_blob: '(blob_id)' } },
  ),

  /** Registry metadata of a version, as JSON. */
  package_version_metadata: table({
    version_id: primaryKey(ref<PackageVersionId>('package_version', 'cascade')),
    body: text(),
  }),

  /** Registry metadata of a file, as JSON. */
  package_file_metadata: table({
    file_id: primaryKey(ref<PackageFileId>('package_file', 'cascade')),
    body: text(),
  }),

  /** A tag: an alias of one version of a package. */
  package_tag: table(
    {
      package_id: ref<PackageId>('package', 'cascade'),
      name: text(),
      version_id: ref<PackageVersionId>('package_version', 'cascade'),
    },
    { primaryKey: ['package_id', 'name'], indexes: { package_tag_version: '(version_id)' } },
  ),

  /** Counts the changes in a registry of an owner. */
  package_revision: table(
    {
      owner_id: ref<UserId>('user', 'cascade'),
      type: text(),
      revision: bigint(),
      changed_unix: unix(),
    },
    { primaryKey: ['owner_id', 'type'] },
  ),

  /** The key that signs the indexes of an owner's registry. */
  package_key: table(
    {
      id: id<number>(),
      owner_id: ref<UserId>('user', 'cascade'),
      type: text(),
      /** Sealed with the instance key. */
      sealed_key: text(),
      public_key: text(),
      created_unix: unix(),
    },
    { unique: [['owner_id', 'type']] },
  ),

  /** An unfinished upload of an image blob. */
  package_upload: table(
    {
      id: id<number>(),
      uuid: unique(text()),
      owner_id: ref<UserId>('user', 'cascade'),
      lower_name: text(),
      creator_id: bigint<UserId>(),
      upload_key: text(),
      size_bytes: bigint(),
      /** Until when a request appends to the upload; 0: no request does. */
      busy_until_unix: unix(),
      created_unix: unix(),
      /** Received and arriving bytes, charged to the owner. */
      reserved_bytes: bigint(0),
    },
    { indexes: { package_upload_owner: '(owner_id)', package_upload_created: '(created_unix)' } },
  ),

  /** A packed part of an index: the entries of consecutive files. The server rebuilds a missing part. */
  package_index_part: table(
    {
      /** The first file of the part. */
      file_id: ref<PackageFileId>('package_file', 'cascade'),
      /** The name of the index. */
      name: text(),
      /** Digest of all inputs of the part. A different digest means that the part must be rebuilt. */
      members: text(),
      /** The size before packing. */
      size_bytes: bigint(),
      packed: bytes(),
    },
    { primaryKey: ['file_id', 'name'] },
  ),

  /** An upstream registry: the server fetches from it the packages that the owner's registry lacks. */
  package_upstream: table(
    {
      id: id<number>(),
      owner_id: ref<UserId>('user', 'cascade'),
      type: text(),
      /** Without a trailing slash. */
      url: text(),
      /** The user name for basic authentication; empty for a bearer token or no credentials. */
      user_name: text(),
      /** Sealed with the instance key. */
      sealed_secret: nullable(text()),
      /** JSON: patterns of package names that are never fetched from upstream. */
      reserved: text(),
      created_unix: unix(),
    },
    { unique: [['owner_id', 'type']] },
  ),

  /** The names that an owner has published, with or without versions today: no upstream serves them. */
  package_name: table(
    {
      owner_id: ref<UserId>('user', 'cascade'),
      type: text(),
      /** The normal form of the registry (`normalName`). */
      name: text(),
    },
    { primaryKey: ['owner_id', 'type', 'name'] },
  ),

  /** The manifests that an image manifest references. */
  package_reference: table(
    {
      version_id: ref<PackageVersionId>('package_version', 'cascade'),
      package_id: bigint<PackageId>(),
      /** The digest of the other manifest, with its algorithm. */
      digest: text(),
      /**
       * Whether the digest is the `subject` of this manifest. Otherwise this manifest is an index and the digest is its
       * member.
       */
      is_subject: flag(),
    },
    {
      primaryKey: ['version_id', 'is_subject', 'digest'],
      indexes: { package_reference_digest: '(package_id, digest, is_subject, version_id)' },
    },
  ),

  /** A cleanup rule: which versions of an owner's packages of one type are deleted automatically. */
  package_cleanup_rule: table(
    {
      id: id<PackageRuleId>(),
      owner_id: ref<UserId>('user', 'cascade'),
      type: text(),
      is_enabled: flag(),
      /** Keep this number of the newest versions of each package. */
      keep_count: bigint(),
      /** Keep matching versions; empty matches none. */
      keep_pattern: text(),
      /** Keep younger versions; 0 keeps none. */
      remove_days: bigint(),
      /** Keep versions that do not match; empty keeps none. */
      remove_pattern: text(),
      /** Whether the patterns match `name/version` instead of the version. */
      matches_full_name: flag(),
      /** The account that last changed the rule. */
      doer_id: bigint<UserId>(),
      created_unix: unix(),
      updated_unix: unix(),
      /** The last execution: its time, the number of deleted versions, and the error that stopped it. */
      ran_unix: nullable(unix()),
      removed_count: bigint(0),
      problem: text(''),
    },
    { unique: [['owner_id', 'type']] },
  ),
}

export type PackageTables = TablesOf<typeof packageTables>
export type PackageVersionTable = PackageTables['package_version']
export type PackageRow = Selectable<PackageTables['package']>
export type NewPackageRow = Insertable<PackageTables['package']>
export type PackageVersionRow = Selectable<PackageVersionTable>
export type NewPackageVersionRow = Insertable<PackageVersionTable>
export type PackageBlobRow = Selectable<PackageTables['package_blob']>
export type NewPackageBlobRow = Insertable<PackageTables['package_blob']>
export type PackageFileRow = Selectable<PackageTables['package_file']>
export type NewPackageFileRow = Insertable<PackageTables['package_file']>
export type PackageKeyRow = Selectable<PackageTables['package_key']>
export type PackageUploadRow = Selectable<PackageTables['package_upload']>
export type PackageIndexPartRow = Selectable<PackageTables['package_index_part']>
export type NewPackageUploadRow = Insertable<PackageTables['package_upload']>
/** The id is for re-encryption, which iterates over all sealed values. */
export type PackageUpstreamRow = Omit<Selectable<PackageTables['package_upstream']>, 'id'>
export type PackageReferenceRow = Selectable<PackageTables['package_reference']>
export type PackageCleanupRuleRow = Selectable<PackageTables['package_cleanup_rule']>
export type NewPackageCleanupRuleRow = Insertable<PackageTables['package_cleanup_rule']>
