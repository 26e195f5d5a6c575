import type { Migration } from './migration.ts'

/**
 * The trust of a run: who wrote the commits of an untrusted one. Caches that runs of pull requests or of other commits
 * saved become untrusted, since it is unknown which of those runs were.
 */
export const actions10: Migration = {
  name: 'actions-10',
  statements: [
    `alter table action_run add column author_id bigint`,
    `alter table action_run add column group_cancels boolean not null default false`,
    `update action_run set author_id = (
      select issue.poster_id from pull join issue on issue.id = pull.issue_id
      where pull.repo_id = action_run.repo_id and action_run.ref = 'refs/pull/' || pull."index" || '/head'
    ) where is_foreign`,
    `update action_cache set scope = 'untrusted ' || scope
      where scope not like 'refs/heads/%' and scope not like 'refs/tags/%'`,
    `create index action_run_approved on action_run (repo_id, author_id) where approver_id is not null`,
  ],
}
