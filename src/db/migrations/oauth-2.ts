import type { Migration } from './migration.ts'

/** Devices without a browser that wait for somebody to let them in from another one. */
export const oauth2: Migration = {
  name: 'oauth-2',
  statements: [
    `create table oauth_device (
      id {id},
      application_id bigint not null references oauth_application(id) on delete cascade,
      device_hash text not null unique,
      user_code_hash text not null unique,
      scope text not null,
      address text not null,
      grant_id bigint references oauth_grant(id) on delete cascade,
      is_denied boolean not null,
      interval_seconds bigint not null,
      polled_ms bigint not null,
      created_unix bigint not null,
      expires_unix bigint not null
    )`,
    `create index oauth_device_application on oauth_device (application_id)`,
    `create index oauth_device_grant on oauth_device (grant_id)`,
    `create index oauth_device_expires on oauth_device (expires_unix)`,
  ],
}
