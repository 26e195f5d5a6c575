import type { AreaSchema } from './area.ts'

/** Workflow runs, jobs, tasks, logs and runners. */
export const actions: AreaSchema = {
  sqlite: [
    `create trigger action_task_tally_insert after insert on action_task begin
      insert into action_task_tally (repo_id, shard, total) values (new.repo_id, new.id % 8, 1)
        on conflict (repo_id, shard) do update set total = action_task_tally.total + excluded.total;
    end`,
    `create trigger action_task_tally_delete after delete on action_task begin
      update action_task_tally set total = total - 1 where repo_id = old.repo_id and shard = old.id % 8;
    end`,
  ],
  postgres: [
    `create function tally_action_tasks() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into action_task_tally (repo_id, shard, total) select repo_id, id % 8, count(*) from are
          group by 1, 2 order by 1, 2 on conflict (repo_id, shard) do update
          set total = action_task_tally.total + excluded.total;
      else
        perform 1 from action_task_tally as tally where exists (select 1 from were
          where were.repo_id = tally.repo_id and were.id % 8 = tally.shard)
          order by tally.repo_id, tally.shard for update;
        update action_task_tally as tally set total = tally.total - gone.amount
          from (select repo_id, id % 8 as shard, count(*) as amount from were group by 1, 2) as gone
          where tally.repo_id = gone.repo_id and tally.shard = gone.shard;
      end if;
      return null;
    end $$`,
    `create trigger action_task_tally_insert after insert on action_task referencing new table as are
      for each statement execute function tally_action_tasks()`,
    `create trigger action_task_tally_delete after delete on action_task referencing old table as were
      for each statement execute function tally_action_tasks()`,
  ],
}
