import type { Migration } from './migration.ts'

/** Links that go out by mail: to confirm a sign-up or an address, and to choose another password. */
export const accounts4: Migration = {
  name: 'accounts-4',
  statements: [
    `create table mailed_link (
      id {id},
      kind text not null,
      email text not null,
      lower_email text not null,
      user_id bigint references "user"(id) on delete cascade,
      name text not null,
      password_hash text not null,
      language text not null,
      created_unix bigint not null,
      expires_unix bigint not null,
      used_unix bigint
    )`,
    `create index mailed_link_email on mailed_link (lower_email, created_unix)`,
    `create index mailed_link_created on mailed_link (created_unix)`,
    `create index mailed_link_user on mailed_link (user_id)`,
  ],
}
