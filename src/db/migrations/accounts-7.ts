import type { Migration } from './migration.ts'

/** Other places where people sign in, and who is who there. */
export const accounts7: Migration = {
  name: 'accounts-7',
  statements: [
    `create table sign_in_source (
      id {id},
      kind text not null,
      name text not null unique,
      is_active boolean not null,
      settings text not null,
      sealed text not null,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create table external_account (
      id {id},
      source_id bigint not null references sign_in_source(id) on delete cascade,
      external_id text not null,
      user_id bigint not null references "user"(id) on delete cascade,
      name text not null,
      created_unix bigint not null,
      used_unix bigint not null,
      unique (source_id, external_id)
    )`,
    `create index external_account_user on external_account (user_id, id)`,
    // Accounts whose passwords are asked for elsewhere are few; those of the instance itself need no entry.
    `create index user_login_source on "user" (login_source_id, login_name) where login_source_id > 0`,
  ],
}
