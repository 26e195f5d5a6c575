import type { Migration } from './migration.ts'

/** The ledger of what accounts store, with what the rows of earlier releases say of it. */
export const quota1: Migration = {
  name: 'quota-1',
  statements: [
    `create table usage (
      owner_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      kind text not null,
      size_bytes bigint not null
    )`,
    `create unique index usage_repo on usage (repo_id, kind) where repo_id is not null`,
    `create unique index usage_owner on usage (owner_id, kind) where repo_id is null`,
    // A sum for one account reads this index alone.
    `create index usage_sum on usage (owner_id, kind, size_bytes)`,
    `insert into usage (owner_id, repo_id, kind, size_bytes)
      select owner_id, id, case when is_private then 'repos:private' else 'repos:public' end, git_size_bytes
      from repo where git_size_bytes > 0`,
    `insert into usage (owner_id, repo_id, kind, size_bytes)
      select repo.owner_id, repo.id,
        case when attachment.release_id is null then 'attachments:issues' else 'attachments:releases' end,
        sum(attachment.size_bytes)
      from attachment join repo on repo.id = attachment.repo_id
      group by repo.owner_id, repo.id, attachment.release_id is null`,
  ],
}
