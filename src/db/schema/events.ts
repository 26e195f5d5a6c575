import type { AreaSchema } from './area.ts'

/** Events and their deliveries to subscribers. */
export const events: AreaSchema = {
  tables: [
    { sqlite: '', postgres: `create sequence event_position` },
    {
      sqlite: `create table event (
        id {id},
        name text not null,
        version integer not null,
        actor_id bigint,
        owner_id bigint,
        repo_id bigint,
        issue_id bigint,
        data text not null,
        at_ms bigint not null
      )`,
      postgres: `create table event (
        id {id},
        name text not null,
        version integer not null,
        actor_id bigint,
        owner_id bigint,
        repo_id bigint,
        issue_id bigint,
        data text not null,
        at_ms bigint not null,
        position bigint
      )`,
    },
  ],
  sqlite: [
    `create index event_repo on event (repo_id, id) where repo_id is not null`,
    `create index event_owner on event (owner_id, id) where owner_id is not null`,
  ],
  postgres: [
    `create unique index event_place on event (position)`,
    `create index event_unplaced on event (id) where position is null`,
    `create index event_repo on event (repo_id, position) where repo_id is not null`,
    `create index event_owner on event (owner_id, position) where owner_id is not null`,
  ],
}
