import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** As in `scale-2`. */
const audienceOf = (isPrivate: string, kind: string, visibility: string): string => `case
  when ${kind} = 'reserved' then 4
  when ${isPrivate} then 3
  when ${visibility} = 'public' then 0
  when ${visibility} = 'limited' then 1
  else 2 end`

/** What the database keeps with a repository of its owner, for SQLite. */
const keepOfOwner = `update repo set (audience, owner_lower_name) = (
    select ${audienceOf('new.is_private', 'kind', 'visibility')}, lower_name from "user" where id = new.owner_id)
  where id = new.id;`

/** The orders of repositories, each with an index behind the audience. */
const orders = [
  'lower_name',
  'created_unix',
  'updated_unix',
  'git_size_bytes',
  'lfs_size_bytes',
  '(git_size_bytes + lfs_size_bytes)',
  'num_stars',
  'num_forks',
]

/** What lists of repositories are limited by, so that they pass over rows in the index alone. */
const marks = 'owner_id, is_template, is_archived, is_mirror, is_fork'

/** What repositories are counted by. Each is counted in one of eight rows, so that who makes one seldom waits for others. */
const facets = ['audience', 'is_template', 'is_archived', 'is_mirror', 'is_fork']
const tallied = `repo_tally (${facets.join(', ')}, slot, total)`
const keysOf = (row: string): string => [...facets.map((facet) => `${row}.${facet}`), `${row}.id % 8`].join(', ')
const addUp = `on conflict (${facets.join(', ')}, slot) do update set total = repo_tally.total + excluded.total`
const isMoved = facets.map((facet) => `old.${facet} <> new.${facet}`).join(' or ')

/**
 * Lists of repositories find their page in an index and nowhere else: each order has what lists are limited by behind it.
 * Repositories know the name of their owner, by which they are ordered, and are counted by what lists ask for. Stars and watches are found in the order of lists.
 */
export const scale3: Migration = {
  name: 'scale-3',
  statements: [
    `alter table repo add column owner_lower_name text not null default ''`,
    `update repo set owner_lower_name = (select lower_name from "user" where "user".id = repo.owner_id)`,
    sqlite('drop trigger repo_audience_insert'),
    sqlite('drop trigger repo_audience_update'),
    sqlite(`create trigger repo_owner_insert after insert on repo begin ${keepOfOwner} end`),
    sqlite(`create trigger repo_owner_update after update of owner_id, is_private on repo begin ${keepOfOwner} end`),
    postgres(`create or replace function set_audience() returns trigger language plpgsql as $$
      declare owner record;
      begin
        -- Whoever changes the owner's visibility or name meanwhile is waited for, and whoever else gives it a repository: both
        -- count it with the owner afterwards, for which two who share the row would wait for each other.
        select kind, visibility, lower_name into owner from "user" where id = new.owner_id for no key update;
        if found then
          new.audience := ${audienceOf('new.is_private', 'owner.kind', 'owner.visibility')};
          new.owner_lower_name := owner.lower_name;
        end if;
        return new;
      end $$`),
    sqlite(`create trigger owner_name_update after update of lower_name on "user" when old.lower_name <> new.lower_name begin
      update repo set owner_lower_name = new.lower_name where owner_id = new.id;
    end`),
    postgres(`create function pass_on_name() returns trigger language plpgsql as $$ begin
        update repo set owner_lower_name = new.lower_name where owner_id = new.id;
        return null;
      end $$`),
    postgres(`create trigger owner_name after update of lower_name on "user" for each row
      when (old.lower_name <> new.lower_name) execute function pass_on_name()`),

    ...orders.flatMap((order, index) => [
      `drop index repo_order_${index}`,
      `create index repo_order_${index} on repo (audience, ${order}, id, ${marks})`,
    ]),
    `create index repo_order_8 on repo (audience, owner_lower_name, lower_name, id, ${marks})`,
    `drop index repo_of_owner`,
    `create index repo_of_owner on repo (owner_id, lower_name, id, audience, is_template, is_archived, is_mirror, is_fork)`,
    `drop index repo_audience`,
    `create index repo_audience on repo (audience, id, ${marks})`,
    // The flags are in that one as well.
    `drop index repo_flags`,

    `create table repo_tally (
      id {id},
      ${facets.map((facet) => `${facet} ${facet === 'audience' ? 'integer' : 'boolean'} not null`).join(', ')},
      slot integer not null,
      total bigint not null,
      unique (${facets.join(', ')}, slot)
    )`,
    `insert into ${tallied} select ${keysOf('repo')}, count(*) from repo group by ${keysOf('repo')}`,
    // A new one is counted as it came, and moved by what is then found out of its owner.
    sqlite(`create trigger repo_tally_insert after insert on repo begin
      insert into ${tallied} values (${keysOf('new')}, 1) ${addUp};
    end`),
    sqlite(`create trigger repo_tally_delete after delete on repo begin
      insert into ${tallied} values (${keysOf('old')}, -1) ${addUp};
    end`),
    sqlite(`create trigger repo_tally_update after update of ${facets.join(', ')} on repo when ${isMoved} begin
      insert into ${tallied} values (${keysOf('old')}, -1), (${keysOf('new')}, 1) ${addUp};
    end`),
    // In the order of the rows, so that two who move repositories wait for each other and not both.
    postgres(`create function tally_repo() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then insert into ${tallied} values (${keysOf('new')}, 1) ${addUp}; end if;
        if tg_op = 'DELETE' then insert into ${tallied} values (${keysOf('old')}, -1) ${addUp}; end if;
        if tg_op = 'UPDATE' then
          insert into ${tallied} select * from (values (${keysOf('old')}, -1), (${keysOf('new')}, 1))
            as moved (${facets.join(', ')}, slot, total) order by 1, 2, 3, 4, 5, 6 ${addUp};
        end if;
        return null;
      end $$`),
    postgres(
      `create trigger repo_tally_change after insert or delete on repo for each row execute function tally_repo()`,
    ),
    postgres(`create trigger repo_tally_update after update of ${facets.join(', ')}, owner_id, is_private on repo for each row
      when (${isMoved}) execute function tally_repo()`),

    `drop index star_user`,
    `create index star_user on star (user_id, repo_id)`,
    `create index star_of_repo on star (repo_id, created_unix, user_id)`,
    `drop index watch_user`,
    `create index watch_user on watch (user_id, repo_id, mode)`,
    `create index watch_of_repo on watch (repo_id, created_unix, user_id, mode)`,
  ],
}
