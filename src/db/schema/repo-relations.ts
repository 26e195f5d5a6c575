import type { AreaSchema } from './area.ts'

/** Relations between accounts and repositories: collaborations, stars, watches and topics. */
export const repoRelations: AreaSchema = {
  tables: [
    `create table repo_transfer (
      repo_id bigint primary key references repo(id) on delete cascade,
      doer_id bigint not null references "user"(id) on delete cascade,
      recipient_id bigint not null references "user"(id) on delete cascade,
      team_ids text not null default '[]',
      created_unix bigint not null
    )`,
    `create table topic (
      id {id},
      name text not null unique,
      created_unix bigint not null,
      updated_unix bigint not null,
      num_seen_0 integer not null default 0,
      num_seen_1 integer not null default 0,
      num_seen_2 integer not null default 0,
      num_seen_3 integer not null default 0
    )`,
    `create table repo_topic (
      repo_id bigint not null references repo(id) on delete cascade,
      topic_id bigint not null references topic(id) on delete cascade,
      primary key (repo_id, topic_id)
    )`,
    `create table repo_flag (
      repo_id bigint not null references repo(id) on delete cascade,
      name text not null,
      primary key (repo_id, name)
    )`,
    `create table deploy_key (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      key_id bigint not null references public_key(id) on delete cascade,
      title text not null,
      is_read_only boolean not null default true,
      created_unix bigint not null,
      unique (repo_id, key_id),
      unique (repo_id, title)
    )`,
  ],
  indexes: [
    `create index repo_transfer_recipient on repo_transfer (recipient_id)`,
    `create index repo_transfer_doer on repo_transfer (doer_id)`,
    `create index repo_topic_topic on repo_topic (topic_id)`,
    `create index deploy_key_key on deploy_key (key_id)`,
    `create index topic_order_0 on topic (num_seen_0 desc, name, id)`,
    `create index topic_order_1 on topic (num_seen_1 desc, name, id)`,
    `create index topic_order_3 on topic (num_seen_3 desc, name, id)`,
  ],
  sqlite: [
    `create trigger topic_count_insert after insert on repo_topic begin
      update topic set num_seen_0 = num_seen_0 + (select (case when audience <= 0 then 1 else 0 end) from repo
        where id = new.repo_id), num_seen_1 = num_seen_1 + (select (case when audience <= 1 then 1 else 0 end)
        from repo where id = new.repo_id), num_seen_2 = num_seen_2 + (select (case when audience <= 2 then 1
        else 0 end) from repo where id = new.repo_id), num_seen_3 = num_seen_3 + (select (case when audience <= 3
        then 1 else 0 end) from repo where id = new.repo_id) where id = new.topic_id;
    end`,
    `create trigger topic_count_delete after delete on repo_topic begin
      update topic set num_seen_0 = num_seen_0 + -(select (case when audience <= 0 then 1 else 0 end) from repo
        where id = old.repo_id), num_seen_1 = num_seen_1 + -(select (case when audience <= 1 then 1 else 0 end)
        from repo where id = old.repo_id), num_seen_2 = num_seen_2 + -(select (case when audience <= 2 then 1
        else 0 end) from repo where id = old.repo_id), num_seen_3 = num_seen_3 + -(select (case
        when audience <= 3 then 1 else 0 end) from repo where id = old.repo_id) where id = old.topic_id;
    end`,
  ],
  postgres: [
    `create function count_topic() returns trigger language plpgsql as $$
    declare pair record; sign integer; seen integer;
    begin
      if tg_op = 'INSERT' then
        pair := new;
        sign := 1;
      else
        pair := old;
        sign := -1;
      end if;
      select audience into seen from repo where id = pair.repo_id for no key update;
      update topic set num_seen_0 = num_seen_0 + case when seen <= 0 then sign
        else 0 end, num_seen_1 = num_seen_1 + case when seen <= 1 then sign
        else 0 end, num_seen_2 = num_seen_2 + case when seen <= 2 then sign
        else 0 end, num_seen_3 = num_seen_3 + case when seen <= 3 then sign else 0 end where id = pair.topic_id;
      return null;
    end $$`,
    `create trigger topic_count after insert or delete on repo_topic for each row execute function count_topic()`,
  ],
}
