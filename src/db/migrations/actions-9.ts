import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

const target = 'action_task_tally (repo_id, shard, total)'
const added = 'on conflict (repo_id, shard) do update set total = action_task_tally.total + excluded.total'
/** In eight rows for each repository, so that runners who take jobs at the same time seldom wait for each other. */
const shardOf = (id: string): string => `${id} % 8`

/**
 * How many attempts at jobs a repository has, which a list of them says: it would count tens of thousands for a page. The
 * database keeps it. What goes with a repository is not counted any more, and its counts go too.
 */
export const actions9: Migration = {
  name: 'actions-9',
  statements: [
    `create table action_task_tally (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      shard integer not null,
      total bigint not null,
      unique (repo_id, shard)
    )`,
    `insert into ${target} select repo_id, ${shardOf('id')}, count(*) from action_task group by 1, 2`,
    sqlite(`create trigger action_task_tally_insert after insert on action_task begin
      insert into ${target} values (new.repo_id, ${shardOf('new.id')}, 1) ${added};
    end`),
    sqlite(`create trigger action_task_tally_delete after delete on action_task begin
      update action_task_tally set total = total - 1 where repo_id = old.repo_id and shard = ${shardOf('old.id')};
    end`),
    // In the order of the rows, so that two who change the same ones wait for each other and not both.
    postgres(`create function tally_action_tasks() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then
          insert into ${target} select repo_id, ${shardOf('id')}, count(*) from are group by 1, 2 order by 1, 2 ${added};
        else
          perform 1 from action_task_tally as tally
            where exists (select 1 from were where were.repo_id = tally.repo_id and ${shardOf('were.id')} = tally.shard)
            order by tally.repo_id, tally.shard for update;
          update action_task_tally as tally set total = tally.total - gone.amount
            from (select repo_id, ${shardOf('id')} as shard, count(*) as amount from were group by 1, 2) as gone
            where tally.repo_id = gone.repo_id and tally.shard = gone.shard;
        end if;
        return null;
      end $$`),
    postgres(`create trigger action_task_tally_insert after insert on action_task referencing new table as are
      for each statement execute function tally_action_tasks()`),
    postgres(`create trigger action_task_tally_delete after delete on action_task referencing old table as were
      for each statement execute function tally_action_tasks()`),
  ],
}
