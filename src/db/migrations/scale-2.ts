import type { Migration } from './migration.ts'

const audienceOf = (isPrivate: string, kind: string, visibility: string): string => `case
  when ${kind} = 'reserved' then 4
  when ${isPrivate} then 3
  when ${visibility} = 'public' then 0
  when ${visibility} = 'limited' then 1
  else 2 end`

const ofOwner = (isPrivate: string, ownerId: string): string =>
  `(select ${audienceOf(isPrivate, 'kind', 'visibility')} from "user" where id = ${ownerId})`

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

/**
 * Who may come to a repository without having been given anything: a number that the database keeps with it, so that lists
 * need not look at owners (`access/audience.ts`). Lists of repositories begin where their page does.
 */
export const scale2: Migration = {
  name: 'scale-2',
  statements: [
    `alter table repo add column audience integer not null default 3`,
    `update repo set audience = ${ofOwner('repo.is_private', 'repo.owner_id')}`,
    {
      sqlite: `create trigger repo_audience_insert after insert on repo begin
        update repo set audience = ${ofOwner('new.is_private', 'new.owner_id')} where id = new.id;
      end`,
      postgres: `create function set_audience() returns trigger language plpgsql as $$
        declare owner record;
        begin
          -- Whoever changes the owner's visibility meanwhile is waited for.
          select kind, visibility into owner from "user" where id = new.owner_id for share;
          if found then new.audience := ${audienceOf('new.is_private', 'owner.kind', 'owner.visibility')}; end if;
          return new;
        end $$`,
    },
    {
      sqlite: `create trigger repo_audience_update after update of owner_id, is_private on repo begin
        update repo set audience = ${ofOwner('new.is_private', 'new.owner_id')} where id = new.id;
      end`,
      postgres: `create trigger repo_audience before insert or update of owner_id, is_private on repo
        for each row execute function set_audience()`,
    },
    {
      sqlite: `create trigger owner_audience_update after update of kind, visibility on "user"
        when old.kind <> new.kind or old.visibility <> new.visibility begin
        update repo set audience = ${audienceOf('is_private', 'new.kind', 'new.visibility')} where owner_id = new.id;
      end`,
      postgres: `create function pass_on_audience() returns trigger language plpgsql as $$ begin
        if old.kind <> new.kind or old.visibility <> new.visibility then
          update repo set audience = ${audienceOf('is_private', 'new.kind', 'new.visibility')} where owner_id = new.id;
        end if;
        return null;
      end $$`,
    },
    {
      sqlite: '',
      postgres: `create trigger owner_audience after update of kind, visibility on "user"
        for each row execute function pass_on_audience()`,
    },
    `create index repo_audience on repo (audience, id)`,
    `create index repo_of_owner on repo (owner_id, audience, id)`,
    ...orders.map((order, index) => `create index repo_order_${index} on repo (audience, ${order}, id)`),
    // What flags are counted by.
    `create index repo_flags on repo (audience, is_template, is_archived, is_mirror, is_fork, is_private, owner_id, id)`,
    `create index repo_counts on repo (audience, num_issues, num_closed_issues, num_pulls, num_closed_pulls, owner_id, id)`,
    `drop index repo_updated`,

    // Issues of everybody who may see them, without a look at repositories that nobody else may.
    `create index issue_newest_of_kind on issue (is_pull, is_closed, created_unix, id, repo_id)`,
  ],
}
