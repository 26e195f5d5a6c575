import type { Migration } from './migration.ts'

/** How large stored archives are, so that the oldest can go when all of them are too much. */
export const repositories3: Migration = {
  name: 'repositories-3',
  statements: ['alter table repo_archive add column size_bytes bigint not null default 0'],
}
