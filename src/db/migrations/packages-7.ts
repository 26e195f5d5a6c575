import type { Migration } from './migration.ts'

/** Bytes of an unfinished upload to an image, as they are charged to the owner. */
export const packages7: Migration = {
  name: 'packages-7',
  statements: [`alter table package_upload add column reserved_bytes bigint not null default 0`],
}
