import type { Migration } from './migration.ts'

/**
 * Of an owner's repositories an index tells how many issues each has, by who may come to them: searches in the issues of an owner
 * weigh these first, and their rows are far from each other.
 */
export const repoRelations6: Migration = {
  name: 'repo-relations-6',
  statements: [
    `create index repo_counts_of_owner on repo (owner_id, audience, id, num_issues, num_closed_issues, num_pulls, num_closed_pulls)`,
  ],
}
