import type { Migration } from './migration.ts'

/**
 * Keys that the instance signed commits with, so that what they signed stays good when another takes over. The sealed ones
 * are those that the instance made and signs with now: one for each format at most, whichever process makes it.
 */
export const repositories4: Migration = {
  name: 'repositories-4',
  statements: [
    `create table signing_key (
      id {id},
      format text not null,
      fingerprint text not null unique,
      key_ids text not null,
      public_key text not null,
      name text not null,
      email text not null,
      sealed text not null,
      created_unix bigint not null
    )`,
    `create unique index signing_key_own on signing_key (format) where sealed <> ''`,
  ],
}
