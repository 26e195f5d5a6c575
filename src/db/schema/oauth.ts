import type { AreaSchema } from './area.ts'

/** OAuth2 applications, grants and tokens. */
export const oauth: AreaSchema = {
  tables: [
    `create table oauth_application (
      id {id},
      user_id bigint references "user"(id) on delete cascade,
      name text not null,
      client_id text not null unique,
      secret_hash text not null,
      is_confidential boolean not null,
      redirect_uris text not null,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create table oauth_grant (
      id {id},
      application_id bigint not null references oauth_application(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      scope text not null,
      created_unix bigint not null,
      unique (application_id, user_id)
    )`,
    `create table oauth_code (
      id {id},
      grant_id bigint not null references oauth_grant(id) on delete cascade,
      code_hash text not null unique,
      redirect_uri text not null,
      challenge text not null,
      challenge_method text not null,
      nonce text not null,
      expires_unix bigint not null,
      used_unix bigint,
      auth_unix bigint
    )`,
    `create table oauth_token (
      id {id},
      grant_id bigint not null references oauth_grant(id) on delete cascade,
      family text not null,
      is_refresh boolean not null,
      token_hash text not null unique,
      nonce text not null,
      created_unix bigint not null,
      expires_unix bigint not null,
      used_unix bigint,
      auth_unix bigint
    )`,
    `create table oauth_key (
      id {id},
      number bigint not null unique,
      kid text not null,
      algorithm text not null,
      public_jwk text not null,
      sealed text not null,
      created_unix bigint not null
    )`,
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
      expires_unix bigint not null,
      auth_unix bigint
    )`,
  ],
  indexes: [
    `create index oauth_application_user on oauth_application (user_id, id)`,
    `create index oauth_grant_user on oauth_grant (user_id, id)`,
    `create index oauth_code_grant on oauth_code (grant_id, id)`,
    `create index oauth_code_expires on oauth_code (expires_unix)`,
    `create index oauth_token_grant on oauth_token (grant_id, id)`,
    `create index oauth_token_family on oauth_token (family)`,
    `create index oauth_token_expires on oauth_token (expires_unix)`,
    `create index oauth_device_application on oauth_device (application_id)`,
    `create index oauth_device_grant on oauth_device (grant_id)`,
    `create index oauth_device_expires on oauth_device (expires_unix)`,
  ],
}
