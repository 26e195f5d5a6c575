import type { Migration } from './migration.ts'

/** A repository or an owner that is deleted finds what refers to it, as every other reference does. */
export const repositories5: Migration = {
  name: 'repositories-5',
  statements: [
    'create index repo_redirect_repo on repo_redirect (repo_id)',
    'create index repo_import_owner on repo_import (owner_id)',
  ],
}
