import type { Migration } from './migration.ts'

/** Forks of a repository, who follows whom and members who show it are counted and paged in an index alone. */
export const repoRelations4: Migration = {
  name: 'repo-relations-4',
  statements: [
    `drop index repo_fork`,
    `create index repo_fork on repo (fork_id, audience, id)`,
    `drop index follow_user`,
    `create index follow_followers on follow (user_id, created_unix, follower_id)`,
    `create index follow_following on follow (follower_id, created_unix, user_id)`,
    `create index org_user_public on org_user (org_id, is_public, user_id)`,
  ],
}
