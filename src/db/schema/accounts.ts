import type { AreaSchema } from './area.ts'
import { rowRevisions } from './row-revisions.ts'

/** Accounts, organizations, teams and credentials. */
export const accounts: AreaSchema = {
  sqlite: [
    ...rowRevisions('user'),
    `create trigger owner_audience_update after update of kind, visibility on "user" when old.kind <> new.kind
      or old.visibility <> new.visibility begin
      update repo set audience = case when new.kind = 'reserved' then 4 when is_private then 3
        when new.visibility = 'public' then 0 when new.visibility = 'limited' then 1 else 2 end
        where owner_id = new.id;
    end`,
    `create trigger owner_name_update after update of lower_name on "user" when old.lower_name <> new.lower_name begin
      update repo set owner_lower_name = new.lower_name where owner_id = new.id;
    end`,
    `create trigger team_unit_modes_insert after insert on team_unit begin
      update team set unit_modes = unit_modes + new.access_mode * case new.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = new.team_id;
    end`,
    `create trigger team_unit_modes_delete after delete on team_unit begin
      update team set unit_modes = unit_modes - old.access_mode * case old.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = old.team_id;
    end`,
    `create trigger team_unit_modes_update after update of team_id, unit, access_mode on team_unit begin
      update team set unit_modes = unit_modes - old.access_mode * case old.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = old.team_id;
      update team set unit_modes = unit_modes + new.access_mode * case new.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = new.team_id;
    end`,
    `create trigger team_user_gives_insert after insert on team_user begin
      update team_user set (includes_all_repositories, access_mode, unit_modes) = (select includes_all_repositories,
        access_mode, unit_modes from team where id = new.team_id) where team_id = new.team_id
        and user_id = new.user_id;
    end`,
    `create trigger team_user_gives_update after update of team_id on team_user begin
      update team_user set (includes_all_repositories, access_mode, unit_modes) = (select includes_all_repositories,
        access_mode, unit_modes from team where id = new.team_id) where team_id = new.team_id
        and user_id = new.user_id;
    end`,
    `create trigger team_gives after update of includes_all_repositories, access_mode, unit_modes on team
      when old.includes_all_repositories <> new.includes_all_repositories or old.access_mode <> new.access_mode
      or old.unit_modes <> new.unit_modes begin
      update team_user set includes_all_repositories = new.includes_all_repositories, access_mode = new.access_mode,
        unit_modes = new.unit_modes where team_id = new.id;
    end`,
  ],
  postgres: [
    `create function pass_on_audience() returns trigger language plpgsql as $$
    begin
      if old.kind <> new.kind or old.visibility <> new.visibility then
        update repo set audience = case when new.kind = 'reserved' then 4 when is_private then 3
          when new.visibility = 'public' then 0 when new.visibility = 'limited' then 1 else 2 end
          where owner_id = new.id;
      end if;
      return null;
    end $$`,
    `create function pass_on_name() returns trigger language plpgsql as $$
    begin
      update repo set owner_lower_name = new.lower_name where owner_id = new.id;
      return null;
    end $$`,
    `create function sum_team_units() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update team set unit_modes = unit_modes - cast(coalesce((select sum(given.access_mode * case given.unit
          when 'code' then 1 when 'issues' then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki'
          then 4096 when 'projects' then 32768 when 'packages' then 262144 when 'actions' then 2097152
          when 'ext_issues' then 16777216 when 'ext_wiki' then 134217728 else 0 end) from were as given
          where given.team_id = team.id), 0) as bigint) where id in (select team_id from were);
      end if;
      if tg_op <> 'DELETE' then
        update team set unit_modes = unit_modes + cast(coalesce((select sum(given.access_mode * case given.unit
          when 'code' then 1 when 'issues' then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki'
          then 4096 when 'projects' then 32768 when 'packages' then 262144 when 'actions' then 2097152
          when 'ext_issues' then 16777216 when 'ext_wiki' then 134217728 else 0 end) from are as given
          where given.team_id = team.id), 0) as bigint) where id in (select team_id from are);
      end if;
      return null;
    end $$`,
    `create function copy_what_team_gives() returns trigger language plpgsql as $$
    begin
      select includes_all_repositories, access_mode, unit_modes into new.includes_all_repositories, new.access_mode,
        new.unit_modes from team where id = new.team_id for no key update;
      return new;
    end $$`,
    `create function pass_on_what_team_gives() returns trigger language plpgsql as $$
    begin
      update team_user set includes_all_repositories = new.includes_all_repositories, access_mode = new.access_mode,
        unit_modes = new.unit_modes where team_id = new.id;
      return null;
    end $$`,
    `create trigger user_revision after insert or update or delete on "user" for each row
      execute function count_revision()`,
    `create trigger owner_audience after update of kind, visibility on "user" for each row
      execute function pass_on_audience()`,
    `create trigger owner_name after update of lower_name on "user" for each row
      when (old.lower_name <> new.lower_name) execute function pass_on_name()`,
    `create trigger team_unit_modes_insert after insert on team_unit referencing new table as are
      for each statement execute function sum_team_units()`,
    `create trigger team_unit_modes_delete after delete on team_unit referencing old table as were
      for each statement execute function sum_team_units()`,
    `create trigger team_unit_modes_update after update on team_unit referencing old table as were new table as are
      for each statement execute function sum_team_units()`,
    `create trigger team_user_gives before insert or update of team_id on team_user for each row
      execute function copy_what_team_gives()`,
    `create trigger team_gives after update of includes_all_repositories, access_mode, unit_modes on team
      for each row when (old.includes_all_repositories <> new.includes_all_repositories
      or old.access_mode <> new.access_mode or old.unit_modes <> new.unit_modes)
      execute function pass_on_what_team_gives()`,
  ],
}
