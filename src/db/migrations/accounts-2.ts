import type { Migration } from './migration.ts'

/** OpenPGP keys of accounts; subkeys are rows beside their key, so that a signature finds whichever made it. */
export const accounts2: Migration = {
  name: 'accounts-2',
  statements: [
    `create table gpg_key (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      primary_id bigint references gpg_key(id) on delete cascade,
      key_id text not null,
      fingerprint text not null unique,
      public_packet text not null,
      armored text not null,
      emails text not null,
      can_sign boolean not null,
      can_encrypt_comms boolean not null,
      can_encrypt_storage boolean not null,
      can_certify boolean not null,
      is_verified boolean not null,
      created_unix bigint not null,
      expires_unix bigint not null
    )`,
    `create index gpg_key_owner on gpg_key (owner_id, id)`,
    `create index gpg_key_key_id on gpg_key (key_id)`,
    `create index gpg_key_primary on gpg_key (primary_id) where primary_id is not null`,
  ],
}
