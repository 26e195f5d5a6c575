import type { Migration } from './migration.ts'

/** Parts of the indexes of registries, so that a change makes one part anew and not all. */
export const packages3: Migration = {
  name: 'packages-3',
  statements: [
    // A part goes with the file that it begins with; it is made again of what is there whenever it is missing.
    `create table package_index_part (
      file_id bigint not null references package_file(id) on delete cascade,
      name text not null,
      members text not null,
      size_bytes bigint not null,
      packed bytea not null,
      primary key (file_id, name)
    )`,
  ],
}
