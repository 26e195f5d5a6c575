import type { Migration } from './migration.ts'

/** Registries that those of an owner ask for what they do not have. */
export const packages5: Migration = {
  name: 'packages-5',
  statements: [
    `create table package_upstream (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      type text not null,
      url text not null,
      user_name text not null,
      sealed_secret text,
      reserved text not null,
      created_unix bigint not null,
      unique (owner_id, type)
    )`,
  ],
}
