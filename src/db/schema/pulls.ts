import type { AreaSchema } from './area.ts'
import { settleRequests } from './review-requests.ts'

/** Pull requests and reviews. */
export const pulls: AreaSchema = {
  sqlite: [
    `create trigger review_asked_insert after insert on review when new.type in ('request', 'approve', 'reject') begin
      ${settleRequests('new.issue_id')}
    end`,
    `create trigger review_asked_update after update of type, reviewer_id on review
      when (old.type in ('request', 'approve', 'reject') or new.type in ('request', 'approve', 'reject'))
      and (old.type <> new.type or old.reviewer_id is distinct from new.reviewer_id) begin
      ${settleRequests('new.issue_id')}
    end`,
    `create trigger review_asked_delete after delete on review when old.type in ('request', 'approve', 'reject') begin
      ${settleRequests('old.issue_id')}
    end`,
  ],
  postgres: [
    `create function settle_requests() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform 1 from issue where id = old.issue_id for no key update;
        ${settleRequests('old.issue_id')}
      else
        perform 1 from issue where id = new.issue_id for no key update;
        ${settleRequests('new.issue_id')}
      end if;
      return null;
    end $$`,
    `create trigger review_asked_insert after insert on review for each row
      when (new.type in ('request', 'approve', 'reject')) execute function settle_requests()`,
    `create trigger review_asked_update after update of type, reviewer_id on review for each row
      when ((old.type in ('request', 'approve', 'reject') or new.type in ('request', 'approve', 'reject'))
      and (old.type <> new.type or old.reviewer_id is distinct from new.reviewer_id))
      execute function settle_requests()`,
    `create trigger review_asked_delete after delete on review for each row
      when (old.type in ('request', 'approve', 'reject')) execute function settle_requests()`,
  ],
}
