import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

const keys = ['user_id', 'repo_id', 'subject', 'status']
const names = keys.join(', ')
const tallied = `notification_tally (${names}, total)`
const addUp = `on conflict (${names}) do update set total = notification_tally.total + excluded.total`
const of = (row: 'old' | 'new', amount: 1 | -1): string =>
  `(${keys.map((key) => `${row}.${key}`).join(', ')}, ${amount})`
const isMoved = keys.map((key) => `old.${key} <> new.${key}`).join(' or ')
const isOf = (rows: string): string => keys.map((key) => `notification_tally.${key} = ${rows}.${key}`).join(' and ')

/**
 * Somebody's threads are counted by repository, subject and status: some have a hundred thousand of them, and each list says how
 * many there are. The database keeps it. What goes with an account or a repository is not counted any more, and its counts go too.
 */
export const notifications2: Migration = {
  name: 'notifications-2',
  statements: [
    `create table notification_tally (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      subject text not null,
      status text not null,
      total bigint not null,
      unique (${names})
    )`,
    `create index notification_tally_repo on notification_tally (repo_id)`,
    `insert into ${tallied} select ${names}, count(*) from notification group by ${names}`,
    sqlite(`create trigger notification_tally_insert after insert on notification begin
      insert into ${tallied} values ${of('new', 1)} ${addUp};
    end`),
    sqlite(`create trigger notification_tally_delete after delete on notification begin
      update notification_tally set total = total - 1 where ${isOf('old')};
    end`),
    sqlite(`create trigger notification_tally_update after update of ${names} on notification when ${isMoved} begin
      insert into ${tallied} values ${of('old', -1)}, ${of('new', 1)} ${addUp};
    end`),
    // In the order of the rows, so that two who change the same ones wait for each other and not both.
    postgres(`create function tally_notifications() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then
          insert into ${tallied} select ${names}, count(*) from are group by ${names} order by ${names} ${addUp};
        end if;
        if tg_op = 'UPDATE' then
          insert into ${tallied} select ${names}, sum(amount) from (
              select ${names}, 1 as amount from are union all select ${names}, -1 from were) as moved
            group by ${names} having sum(amount) <> 0 order by ${names} ${addUp};
        end if;
        if tg_op = 'DELETE' then
          update notification_tally set total = total - gone.amount
            from (select ${names}, count(*) as amount from were group by ${names}) as gone where ${isOf('gone')};
        end if;
        return null;
      end $$`),
    postgres(`create trigger notification_tally_insert after insert on notification referencing new table as are
      for each statement execute function tally_notifications()`),
    postgres(`create trigger notification_tally_update after update on notification
      referencing old table as were new table as are for each statement execute function tally_notifications()`),
    postgres(`create trigger notification_tally_delete after delete on notification referencing old table as were
      for each statement execute function tally_notifications()`),
  ],
}
