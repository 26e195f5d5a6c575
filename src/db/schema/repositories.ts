import type { AreaSchema } from './area.ts'

/** Repositories, their settings and references. */
export const repositories: AreaSchema = {
  sqlite: [
    `create trigger repo_owner_insert after insert on repo begin
      update repo set (audience, owner_lower_name) = ( select case when kind = 'reserved' then 4
        when new.is_private then 3 when visibility = 'public' then 0 when visibility = 'limited' then 1
        else 2 end, lower_name from "user" where id = new.owner_id) where id = new.id;
    end`,
    `create trigger repo_owner_update after update of owner_id, is_private on repo begin
      update repo set (audience, owner_lower_name) = ( select case when kind = 'reserved' then 4
        when new.is_private then 3 when visibility = 'public' then 0 when visibility = 'limited' then 1
        else 2 end, lower_name from "user" where id = new.owner_id) where id = new.id;
    end`,
    `create trigger topic_count_audience after update of audience on repo when old.audience <> new.audience begin
      update topic set num_seen_0 = num_seen_0 + (case when new.audience <= 0 then 1 else 0 end) - (case
        when old.audience <= 0 then 1 else 0 end), num_seen_1 = num_seen_1 + (case when new.audience <= 1 then 1
        else 0 end) - (case when old.audience <= 1 then 1 else 0 end), num_seen_2 = num_seen_2 + (case
        when new.audience <= 2 then 1 else 0 end) - (case when old.audience <= 2 then 1
        else 0 end), num_seen_3 = num_seen_3 + (case when new.audience <= 3 then 1 else 0 end) - (case
        when old.audience <= 3 then 1 else 0 end) where id in (select topic_id from repo_topic
        where repo_id = new.id);
    end`,
    `create trigger topic_count_repo before delete on repo begin
      delete from repo_topic where repo_id = old.id;
    end`,
    `create trigger collaboration_audience_insert after insert on collaboration begin
      update collaboration set audience = (select audience from repo where id = new.repo_id)
        where repo_id = new.repo_id and user_id = new.user_id;
    end`,
    `create trigger collaboration_audience_update after update of repo_id on collaboration begin
      update collaboration set audience = (select audience from repo where id = new.repo_id)
        where repo_id = new.repo_id and user_id = new.user_id;
    end`,
    `create trigger repo_audience_given after update of audience on repo when old.audience <> new.audience begin
      update collaboration set audience = new.audience where repo_id = new.id;
    end`,
  ],
  postgres: [
    `create function set_audience() returns trigger language plpgsql as $$
    declare owner record;
    begin
      -- Whoever changes the owner's visibility or name meanwhile is waited for, and whoever
      -- else gives it a repository: both
      -- count it with the owner afterwards, for which two who share the row would wait for each other.
      select kind, visibility, lower_name into owner from "user" where id = new.owner_id for no key update;
      if found then
        new.audience := case when owner.kind = 'reserved' then 4 when new.is_private then 3
          when owner.visibility = 'public' then 0 when owner.visibility = 'limited' then 1 else 2 end;
        new.owner_lower_name := owner.lower_name;
      end if;
      return new;
    end $$`,
    `create function move_topics() returns trigger language plpgsql as $$
    begin
      update topic set num_seen_0 = num_seen_0 + (case when new.audience <= 0 then 1 else 0 end) - (case
        when old.audience <= 0 then 1 else 0 end), num_seen_1 = num_seen_1 + (case when new.audience <= 1 then 1
        else 0 end) - (case when old.audience <= 1 then 1 else 0 end), num_seen_2 = num_seen_2 + (case
        when new.audience <= 2 then 1 else 0 end) - (case when old.audience <= 2 then 1
        else 0 end), num_seen_3 = num_seen_3 + (case when new.audience <= 3 then 1 else 0 end) - (case
        when old.audience <= 3 then 1 else 0 end) where id in (select topic_id from repo_topic
        where repo_id = new.id);
      return null;
    end $$`,
    `create function drop_topics() returns trigger language plpgsql as $$
    begin
      delete from repo_topic where repo_id = old.id;
      return old;
    end $$`,
    `create function copy_audience() returns trigger language plpgsql as $$
    begin
      select audience into new.audience from repo where id = new.repo_id for no key update;
      return new;
    end $$`,
    `create function pass_on_audience_given() returns trigger language plpgsql as $$
    begin
      update collaboration set audience = new.audience where repo_id = new.id;
      return null;
    end $$`,
    `create trigger repo_audience before insert or update of owner_id, is_private on repo for each row
      execute function set_audience()`,
    `create trigger topic_count_audience after update of audience, owner_id, is_private on repo for each row
      when (old.audience <> new.audience) execute function move_topics()`,
    `create trigger topic_count_repo before delete on repo for each row execute function drop_topics()`,
    `create trigger collaboration_audience before insert or update of repo_id on collaboration
      for each row execute function copy_audience()`,
    `create trigger repo_audience_given after update of audience, owner_id, is_private on repo for each row
      when (old.audience <> new.audience) execute function pass_on_audience_given()`,
  ],
}
