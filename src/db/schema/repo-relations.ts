import type { AreaSchema } from './area.ts'

/** Relations between accounts and repositories: collaborations, stars, watches and topics. */
export const repoRelations: AreaSchema = {
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
