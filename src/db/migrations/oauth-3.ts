import type { Migration } from './migration.ts'

/** When the person signed in by whom a code, a device and its tokens were granted, which identity tokens say. */
export const oauth3: Migration = {
  name: 'oauth-3',
  statements: [
    `alter table session add column authenticated_unix bigint not null default 0`,
    // Since a session was taken up again, nobody knows any more.
    `update session set authenticated_unix = created_unix where former_hash is null`,
    `alter table oauth_code add column auth_unix bigint`,
    `alter table oauth_device add column auth_unix bigint`,
    `alter table oauth_token add column auth_unix bigint`,
  ],
}
