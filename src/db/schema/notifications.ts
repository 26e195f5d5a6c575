import type { AreaSchema } from './area.ts'

/** Notifications, and the progress through the recipients of each event. */
export const notifications: AreaSchema = {
  sqlite: [
    `create trigger notification_tally_insert after insert on notification begin
      insert into notification_tally (user_id, repo_id, subject, status, reason, total)
        values (new.user_id, new.repo_id, new.subject, new.status, new.reason, 1)
        on conflict (user_id, repo_id, subject, status, reason) do update
        set total = notification_tally.total + excluded.total;
    end`,
    `create trigger notification_tally_delete after delete on notification begin
      update notification_tally set total = total - 1 where notification_tally.user_id = old.user_id
        and notification_tally.repo_id = old.repo_id and notification_tally.subject = old.subject
        and notification_tally.status = old.status and notification_tally.reason = old.reason;
    end`,
    `create trigger notification_tally_update after update of user_id, repo_id, subject, status, reason on notification
      when old.user_id <> new.user_id or old.repo_id <> new.repo_id or old.subject <> new.subject
      or old.status <> new.status or old.reason <> new.reason begin
      insert into notification_tally (user_id, repo_id, subject, status, reason, total)
        values (old.user_id, old.repo_id, old.subject, old.status, old.reason, -1),
        (new.user_id, new.repo_id, new.subject, new.status, new.reason, 1)
        on conflict (user_id, repo_id, subject, status, reason) do update
        set total = notification_tally.total + excluded.total;
    end`,
  ],
  postgres: [
    `create function tally_notifications() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into notification_tally (user_id, repo_id, subject, status, reason, total)
          select user_id, repo_id, subject, status, reason, count(*) from are
          group by user_id, repo_id, subject, status, reason order by user_id, repo_id, subject, status, reason
          on conflict (user_id, repo_id, subject, status, reason) do update
          set total = notification_tally.total + excluded.total;
      end if;
      if tg_op = 'UPDATE' then
        insert into notification_tally (user_id, repo_id, subject, status, reason, total)
          select user_id, repo_id, subject, status, reason, sum(amount) from (
          select user_id, repo_id, subject, status, reason, 1 as amount from are union all
          select user_id, repo_id, subject, status, reason, -1 from were) as moved
          group by user_id, repo_id, subject, status, reason having sum(amount) <> 0
          order by user_id, repo_id, subject, status, reason
          on conflict (user_id, repo_id, subject, status, reason) do update
          set total = notification_tally.total + excluded.total;
      end if;
      if tg_op = 'DELETE' then
        update notification_tally set total = total - gone.amount
          from (select user_id, repo_id, subject, status, reason, count(*) as amount from were
          group by user_id, repo_id, subject, status, reason) as gone where notification_tally.user_id = gone.user_id
          and notification_tally.repo_id = gone.repo_id and notification_tally.subject = gone.subject
          and notification_tally.status = gone.status and notification_tally.reason = gone.reason;
      end if;
      return null;
    end $$`,
    `create trigger notification_tally_insert after insert on notification referencing new table as are
      for each statement execute function tally_notifications()`,
    `create trigger notification_tally_update after update on notification referencing old table as were new table as
      are for each statement execute function tally_notifications()`,
    `create trigger notification_tally_delete after delete on notification referencing old table as were
      for each statement execute function tally_notifications()`,
  ],
}
