import type { Migration } from './migration.ts'

/** Of which repositories it is known that what happens in them starts nothing. */
export const actions8: Migration = {
  name: 'actions-8',
  statements: [
    `create table repo_without_workflows (
      repo_id bigint primary key references repo(id) on delete cascade,
      commit_oid text not null
    )`,
  ],
}
