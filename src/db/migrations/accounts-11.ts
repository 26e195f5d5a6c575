import type { Migration } from './migration.ts'

/** Who of all people is shown to somebody is counted, and found by login, in an index alone. */
export const accounts11: Migration = {
  name: 'accounts-11',
  statements: [
    `drop index user_by_lower_name`,
    `create index user_by_lower_name on "user" (kind, lower_name, id, login_source_id, visibility)`,
  ],
}
