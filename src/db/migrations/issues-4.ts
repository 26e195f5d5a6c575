import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** What a request for a review keeps of its pull request, with the columns of that. */
const kept = { repo_id: 'repo_id', is_of_closed: 'is_closed', pull_created_unix: 'created_unix' }
const own = Object.keys(kept).join(', ')
const ofIssue = Object.values(kept).join(', ')

/**
 * That a request still waits, as far as all of a team's members have that in common: a verdict later than it answers it. The
 * sum keeps SQLite from all reviews of the person, of which there are more than of the pull request.
 */
const isWaiting = `type = 'request' and (reviewer_id is null or (
  reviewer_id <> (select poster_id from issue where id = review.issue_id)
  and not exists (select 1 from review as verdict where verdict.issue_id = review.issue_id
    and +verdict.reviewer_id = review.reviewer_id and verdict.type in ('approve', 'reject') and verdict.id > review.id)))`
const settle = `update review set
  (${own}) = (select ${ofIssue} from issue where id = review.issue_id), is_waiting = ${isWaiting}`
const settleOf = (issueId: string): string => `${settle} where issue_id = ${issueId} and type = 'request';`
const isMoved = [...Object.values(kept), 'poster_id'].map((column) => `old.${column} <> new.${column}`).join(' or ')
const decides = (row: 'old' | 'new'): string => `${row}.type in ('request', 'approve', 'reject')`
const isDecidedAnew = `(${decides('old')} or ${decides('new')})
  and (old.type <> new.type or old.reviewer_id is distinct from new.reviewer_id)`

/**
 * A search for issues over all repositories finds its page in indexes that have the order of creation behind what is asked
 * for, and what is asked of a row before it is shown: its repository, kind, state and latest change.
 */
export const issues4: Migration = {
  name: 'issues-4',
  statements: [
    `drop index issue_newest`,
    `drop index issue_newest_of_kind`,
    `create index issue_newest_of_kind on issue (is_pull, is_closed, created_unix, id, repo_id, updated_unix)`,
    `create index issue_changed on issue (updated_unix, is_pull, is_closed, created_unix, id, repo_id)`,
    `drop index issue_of_poster`,
    `create index issue_of_poster on issue (poster_id, is_pull, is_closed, created_unix, id, repo_id)`,
    `drop index issue_of_milestone`,
    `create index issue_of_milestone on issue (milestone_id, is_pull, is_closed, created_unix, id, repo_id)`,
    // Who sees a repository and whose it is, without its row: as many of them are asked for as a search goes through issues.
    `create index repo_seen on repo (id, audience, owner_id)`,
    `create index issue_number on issue ("index", id)`,
    `create index milestone_title on milestone (title)`,
    `create index issue_assignee_newest on issue_assignee (user_id, is_pull, is_closed, created_unix, issue_id, repo_id)`,
    `create index issue_mention_newest on issue_mention (user_id, is_pull, is_closed, created_unix, issue_id, repo_id)`,
    `drop index comment_poster`,
    `create index comment_poster on comment (poster_id, is_of_pull, type, issue_id)`,

    // Nothing changes before it is made: searches by the latest change rely on it. Clocks may be set back, and what other
    // servers say may be wrong.
    `update issue set updated_unix = created_unix where updated_unix < created_unix`,
    ...['insert', 'update of updated_unix, created_unix'].map((change, index) =>
      sqlite(`create trigger issue_changed_${index} after ${change} on issue when new.updated_unix < new.created_unix begin
        update issue set updated_unix = created_unix where id = new.id;
      end`),
    ),
    postgres(`create function set_changed() returns trigger language plpgsql as $$ begin
        new.updated_unix := new.created_unix;
        return new;
      end $$`),
    postgres(`create trigger issue_changed before insert or update of updated_unix, created_unix on issue
      for each row when (new.updated_unix < new.created_unix) execute function set_changed()`),

    // Requests for reviews that wait are found in the order of their pull requests.
    `alter table review add column repo_id bigint`,
    `alter table review add column is_of_closed boolean`,
    `alter table review add column pull_created_unix bigint`,
    `alter table review add column is_waiting boolean not null default false`,
    `${settle} where type = 'request'`,
    `create index review_asked on review (reviewer_id, is_of_closed, pull_created_unix, issue_id, repo_id) where is_waiting`,
    `create index review_team_asked on review (reviewer_team_id, is_of_closed, pull_created_unix, issue_id, repo_id)
      where is_waiting`,
    sqlite(`create trigger review_asked_insert after insert on review when ${decides('new')} begin
      ${settleOf('new.issue_id')}
    end`),
    sqlite(`create trigger review_asked_update after update of type, reviewer_id on review when ${isDecidedAnew} begin
      ${settleOf('new.issue_id')}
    end`),
    sqlite(`create trigger review_asked_delete after delete on review when ${decides('old')} begin
      ${settleOf('old.issue_id')}
    end`),
    sqlite(`create trigger issue_asked_update after update of ${ofIssue}, poster_id on issue when new.is_pull and (${isMoved}) begin
      ${settleOf('new.id')}
    end`),
    // Whoever closes the pull request meanwhile is waited for, and whoever else asks or answers.
    postgres(`create function settle_requests() returns trigger language plpgsql as $$ begin
        if tg_op = 'DELETE' then
          perform 1 from issue where id = old.issue_id for no key update;
          ${settleOf('old.issue_id')}
        else
          perform 1 from issue where id = new.issue_id for no key update;
          ${settleOf('new.issue_id')}
        end if;
        return null;
      end $$`),
    postgres(`create trigger review_asked_insert after insert on review for each row when (${decides('new')})
      execute function settle_requests()`),
    postgres(`create trigger review_asked_update after update of type, reviewer_id on review for each row
      when (${isDecidedAnew}) execute function settle_requests()`),
    postgres(`create trigger review_asked_delete after delete on review for each row when (${decides('old')})
      execute function settle_requests()`),
    postgres(`create function settle_requests_of() returns trigger language plpgsql as $$ begin
        ${settleOf('new.id')}
        return null;
      end $$`),
    postgres(`create trigger issue_asked_update after update of ${ofIssue}, poster_id on issue for each row
      when (new.is_pull and (${isMoved})) execute function settle_requests_of()`),
  ],
}
