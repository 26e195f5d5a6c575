import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

const tallied = `repo_owner_tally (owner_id, audience, total)`
const addUp = `on conflict (owner_id, audience) do update set total = repo_owner_tally.total + excluded.total`
const isMoved = `old.owner_id <> new.owner_id or old.audience <> new.audience`
const counted = (row: 'old' | 'new', amount: 1 | -1): string => `(${row}.owner_id, ${row}.audience, ${amount})`

/**
 * The repositories of each owner are counted by their audience, and the order by whole sizes has in its index what they are
 * made of: PostgreSQL else looks each row up to compute them.
 */
export const repoRelations5: Migration = {
  name: 'repo-relations-5',
  statements: [
    postgres(`drop index repo_order_5`),
    postgres(`create index repo_order_5 on repo (audience, (git_size_bytes + lfs_size_bytes), id, owner_id, is_template, is_archived,
      is_mirror, is_fork, git_size_bytes, lfs_size_bytes)`),
    `create table repo_owner_tally (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      audience integer not null,
      total bigint not null,
      unique (owner_id, audience)
    )`,
    `insert into ${tallied} select owner_id, audience, count(*) from repo group by owner_id, audience`,
    sqlite(`create trigger repo_owner_tally_insert after insert on repo begin
      insert into ${tallied} values ${counted('new', 1)} ${addUp};
    end`),
    sqlite(`create trigger repo_owner_tally_delete after delete on repo begin
      insert into ${tallied} values ${counted('old', -1)} ${addUp};
    end`),
    sqlite(`create trigger repo_owner_tally_update after update of owner_id, audience on repo when ${isMoved} begin
      insert into ${tallied} values ${counted('old', -1)}, ${counted('new', 1)} ${addUp};
    end`),
    // In the order of the rows, so that two who move repositories wait for each other and not both.
    postgres(`create function tally_repos_of_owner() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then insert into ${tallied} values ${counted('new', 1)} ${addUp}; end if;
        if tg_op = 'DELETE' then insert into ${tallied} values ${counted('old', -1)} ${addUp}; end if;
        if tg_op = 'UPDATE' then
          insert into ${tallied} select * from (values ${counted('old', -1)}, ${counted('new', 1)})
            as moved (owner_id, audience, total) order by 1, 2 ${addUp};
        end if;
        return null;
      end $$`),
    postgres(`create trigger repo_owner_tally_change after insert or delete on repo
      for each row execute function tally_repos_of_owner()`),
    postgres(`create trigger repo_owner_tally_update after update of audience, owner_id, is_private on repo for each row
      when (${isMoved}) execute function tally_repos_of_owner()`),
  ],
}
