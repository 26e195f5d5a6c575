import type { Migration } from './migration.ts'

/** What the file says of the rights of each job, and the workflows that nothing starts. */
export const actions7: Migration = {
  name: 'actions-7',
  statements: [
    `alter table action_job add column is_read_only boolean not null default false`,
    `alter table action_job add column may_identify boolean not null default false`,
    `alter table action_job add column is_call boolean not null default false`,
    `alter table action_job add column passed_secrets text`,
    `update action_job set is_read_only = true
      where run_id in (select id from action_run where is_read_only)`,
    `alter table action_run add column chain bigint not null default 0`,
    `create table action_disabled_workflow (
      repo_id bigint not null references repo(id) on delete cascade,
      workflow_id text not null,
      created_unix bigint not null,
      primary key (repo_id, workflow_id)
    )`,
    `create index action_run_workflow on action_run (repo_id, workflow_id, ref, id)`,
  ],
}
