import type { Migration } from './migration.ts'

/** Contents are found by either of the digests that registries name them by. */
export const packages4: Migration = {
  name: 'packages-4',
  statements: [`create index package_blob_sha512 on package_blob (sha512)`],
}
