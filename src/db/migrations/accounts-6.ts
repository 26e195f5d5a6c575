import type { Migration } from './migration.ts'

/** Passkeys, by which people sign in, and the challenges that were answered. */
export const accounts6: Migration = {
  name: 'accounts-6',
  statements: [
    `create table passkey (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      credential_id text not null unique,
      public_key text not null,
      counter bigint not null,
      transports text not null,
      name text not null,
      created_unix bigint not null,
      used_unix bigint not null
    )`,
    `create index passkey_user on passkey (user_id, id)`,
    `create table passkey_challenge (
      hash text not null primary key,
      expires_unix bigint not null
    )`,
    `create index passkey_challenge_expires on passkey_challenge (expires_unix)`,
  ],
}
