import type { Migration } from './migration.ts'

/** Entries about dependencies are found by the issue that they tell of; those that tell of a removed one go. */
export const issues2: Migration = {
  name: 'issues-2',
  statements: [
    `delete from comment where dependent_issue_id is not null
      and not exists (select 1 from issue where issue.id = comment.dependent_issue_id)`,
    `create index comment_dependent on comment (dependent_issue_id) where dependent_issue_id is not null`,
  ],
}
