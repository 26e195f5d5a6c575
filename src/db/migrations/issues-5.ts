import type { Migration } from './migration.ts'

const ofPart = 'repo_id, is_pull, is_closed'

/** The indexes of a repository's lists also contain what filters compare, so that passing over a row does not read it. */
export const issues5: Migration = {
  name: 'issues-5',
  statements: [
    [
      'issue_by_updated',
      `${ofPart}, updated_unix, created_unix, id, poster_id, milestone_id, num_comments, listed_due_unix`,
    ],
    ['issue_by_comments', `${ofPart}, num_comments, created_unix, id, poster_id, milestone_id, updated_unix`],
    [
      'issue_by_fewest_comments',
      `${ofPart}, num_comments, created_unix desc, id desc, poster_id, milestone_id, updated_unix`,
    ],
    ['issue_by_due', `${ofPart}, listed_due_unix, created_unix, id, poster_id, milestone_id, updated_unix`],
    [
      'issue_by_nearest_due',
      `${ofPart}, nearest_due_unix, created_unix desc, id desc, poster_id, milestone_id, updated_unix`,
    ],
  ].flatMap(([name, columns]) => [`drop index ${name}`, `create index ${name} on issue (${columns})`]),
}
