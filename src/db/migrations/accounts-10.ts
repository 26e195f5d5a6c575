import type { Migration } from './migration.ts'

/** An account that is deleted finds what refers to it, as every other reference does: both databases look for it there. */
export const accounts10: Migration = {
  name: 'accounts-10',
  statements: [
    'create index user_redirect_user on user_redirect (user_id)',
    'create index team_user_org on team_user (org_id)',
    'create index team_unit_org on team_unit (org_id)',
    'create index team_repo_org on team_repo (org_id)',
  ],
}
