import type { Migration } from './migration.ts'

/**
 * Whether somebody is on a team that holds a repository is one look into an index, however many teams they are on and however
 * many hold it.
 */
export const accounts9: Migration = {
  name: 'accounts-9',
  statements: [
    `drop index team_user_user`,
    `create index team_user_user on team_user (user_id, org_id, team_id)`,
    `drop index team_repo_repo`,
    `create index team_repo_repo on team_repo (repo_id, team_id)`,
  ],
}
