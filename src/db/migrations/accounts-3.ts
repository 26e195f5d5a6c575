import type { Migration } from './migration.ts'

/** Second factors: one-time codes of accounts. */
export const accounts3: Migration = {
  name: 'accounts-3',
  statements: [
    `create table two_factor (
      id {id},
      user_id bigint not null unique references "user"(id) on delete cascade,
      sealed text not null,
      scratch_hash text not null,
      last_step bigint not null,
      failures bigint not null,
      failed_unix bigint not null,
      created_unix bigint not null
    )`,
  ],
}
