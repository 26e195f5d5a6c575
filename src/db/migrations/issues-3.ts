import type { Migration } from './migration.ts'

/** The kind and state first: lists of several kinds or states are merged. */
const part = 'repo_id, is_pull, is_closed'
/** What lists pass over rows by, without a look at issues. */
const passed = 'poster_id, milestone_id'

/** What issues are ordered by whose nearest date comes first: no date is later than all dates. */
const nearestDue = `nearest_due_unix bigint generated always as
  (case when listed_due_unix = 0 then 9007199254740991 else listed_due_unix end)`

/**
 * What lists of issues are limited by stands behind what they are ordered by, and what they are ordered by behind an author, so
 * that rows are passed over without a look at issues. Each order begins with a column, by which a place in it is found.
 */
export const issues3: Migration = {
  name: 'issues-3',
  statements: [
    {
      sqlite: `alter table issue add column ${nearestDue} virtual`,
      postgres: `alter table issue add column ${nearestDue} stored`,
    },
    ...[
      ['issue_by_created', `${part}, created_unix, id, updated_unix`],
      ['issue_by_updated', `${part}, updated_unix, created_unix, id, ${passed}`],
      ['issue_by_comments', `${part}, num_comments, created_unix, id, ${passed}`],
      ['issue_by_fewest_comments', `${part}, num_comments, created_unix desc, id desc, ${passed}`],
      ['issue_by_due', `${part}, listed_due_unix, created_unix, id, ${passed}`],
      ['issue_by_nearest_due', `${part}, nearest_due_unix, created_unix desc, id desc, ${passed}`],
      [
        'issue_of_poster_in',
        'repo_id, poster_id, is_pull, is_closed, created_unix, id, updated_unix, num_comments, listed_due_unix',
      ],
    ].flatMap(([name, columns]) => [`drop index ${name}`, `create index ${name} on issue (${columns})`]),
    `drop index comment_of_repo`,
    `create index comment_of_repo on comment (repo_id, is_of_pull, created_unix, id, updated_unix) where type = 'comment'`,
    `create index issue_watch_of_issue on issue_watch (issue_id, is_watching, user_id)`,
  ],
}
