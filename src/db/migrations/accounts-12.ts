import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** What a team gives and of what. */
const kept = ['includes_all_repositories', 'access_mode', 'unit_modes']
const names = kept.join(', ')
const isChanged = kept.map((column) => `old.${column} <> new.${column}`).join(' or ')
const passOn = `update team_user set ${kept.map((column) => `${column} = new.${column}`).join(', ')} where team_id = new.id`

/**
 * Who is on a team knows what it gives: somebody may be on hundreds, and what these give is then read in one index. The database
 * keeps it, in the transaction of the change.
 */
export const accounts12: Migration = {
  name: 'accounts-12',
  statements: [
    `alter table team_user add column includes_all_repositories boolean not null default false`,
    `alter table team_user add column access_mode integer not null default 0`,
    `alter table team_user add column unit_modes bigint not null default 0`,
    `update team_user set ${kept.map((column) => `${column} = team.${column}`).join(', ')} from team
      where team.id = team_user.team_id`,
    ...['insert', 'update of team_id'].map((act) =>
      sqlite(`create trigger team_user_gives_${act.slice(0, 6)} after ${act} on team_user begin
        update team_user set (${names}) = (select ${names} from team where id = new.team_id)
          where team_id = new.team_id and user_id = new.user_id;
      end`),
    ),
    sqlite(`create trigger team_gives after update of ${names} on team when ${isChanged} begin
      ${passOn};
    end`),
    // Whoever changes what the team gives meanwhile is waited for.
    postgres(`create function copy_what_team_gives() returns trigger language plpgsql as $$ begin
        select ${names} into ${kept.map((column) => `new.${column}`).join(', ')} from team
          where id = new.team_id for no key update;
        return new;
      end $$`),
    postgres(`create trigger team_user_gives before insert or update of team_id on team_user
      for each row execute function copy_what_team_gives()`),
    postgres(`create function pass_on_what_team_gives() returns trigger language plpgsql as $$ begin
        ${passOn};
        return null;
      end $$`),
    postgres(`create trigger team_gives after update of ${names} on team for each row when (${isChanged})
      execute function pass_on_what_team_gives()`),
    `drop index team_user_user`,
    `create index team_user_user on team_user (user_id, org_id, team_id, ${names})`,
  ],
}
