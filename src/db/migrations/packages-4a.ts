import type { Migration } from './migration.ts'

/** Contents are found by either of the digests that registries name them by. */
export const packages4a: Migration = {
  name: 'packages-4a',
  statements: [`create index package_blob_sha512 on package_blob (sha512)`],
}
