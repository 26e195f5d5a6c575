import type { AreaSchema } from './area.ts'

/** Wiki pages. */
export const wiki: AreaSchema = {
  tables: [
    `create table wiki_index (
      repo_id bigint primary key references repo(id) on delete cascade,
      head_oid text not null
    )`,
    `create table wiki_page (
      repo_id bigint not null references repo(id) on delete cascade,
      file text not null,
      last_oid text not null,
      commit_count integer not null,
      primary key (repo_id, file)
    )`,
  ],
}
