import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** The audiences of repositories that anybody sees (`scale-2`). */
const audiences = [0, 1, 2, 3]
const columnOf = (audience: number): string => `num_seen_${audience}`

/** Adds to the counts of a topic, for each audience what is given for it. */
const add = (amountOf: (audience: number) => string): string =>
  `update topic set ${audiences.map((audience) => `${columnOf(audience)} = ${columnOf(audience)} + ${amountOf(audience)}`).join(', ')}`
const one = (condition: string): string => `(case when ${condition} then 1 else 0 end)`
const moved = (audience: number): string =>
  `${one(`new.audience <= ${audience}`)} - ${one(`old.audience <= ${audience}`)}`
const ofRepo = `where id in (select topic_id from repo_topic where repo_id = new.id)`

/** Counts a topic of a repository, for SQLite. */
const count = (row: 'new' | 'old', sign: '' | '-'): string =>
  `${add((audience) => `${sign}(select ${one(`audience <= ${audience}`)} from repo where id = ${row}.repo_id)`)}
    where id = ${row}.topic_id;`

/**
 * Topics know how many repositories of each audience up to some one they stand on, so that they are found in the order of
 * these counts.
 */
export const repoRelations3: Migration = {
  name: 'repo-relations-3',
  statements: [
    ...audiences.map((audience) => `alter table topic add column ${columnOf(audience)} integer not null default 0`),
    ...audiences.map(
      (audience) => `update topic set ${columnOf(audience)} = (select count(*) from repo_topic
        join repo on repo.id = repo_topic.repo_id where repo_topic.topic_id = topic.id and repo.audience <= ${audience})`,
    ),
    // Those of who sees none but public things, administrators among them, are sorted.
    ...[0, 1, 3].map(
      (audience) => `create index topic_order_${audience} on topic (${columnOf(audience)} desc, name, id)`,
    ),
    sqlite(`create trigger topic_count_insert after insert on repo_topic begin ${count('new', '')} end`),
    sqlite(`create trigger topic_count_delete after delete on repo_topic begin ${count('old', '-')} end`),
    sqlite(`create trigger topic_count_audience after update of audience on repo when old.audience <> new.audience begin
      ${add(moved)} ${ofRepo};
    end`),
    // As long as one knows which audience it had.
    sqlite(`create trigger topic_count_repo before delete on repo begin
      delete from repo_topic where repo_id = old.id;
    end`),

    // The repository is locked, so that who gives it a topic and who hides it wait for each other.
    postgres(`create function count_topic() returns trigger language plpgsql as $$
      declare
        pair record;
        sign integer;
        seen integer;
      begin
        if tg_op = 'INSERT' then pair := new; sign := 1; else pair := old; sign := -1; end if;
        select audience into seen from repo where id = pair.repo_id for no key update;
        ${add((audience) => `case when seen <= ${audience} then sign else 0 end`)} where id = pair.topic_id;
        return null;
      end $$`),
    postgres(`create trigger topic_count after insert or delete on repo_topic
      for each row execute function count_topic()`),
    postgres(`create function move_topics() returns trigger language plpgsql as $$ begin
        ${add(moved)} ${ofRepo};
        return null;
      end $$`),
    postgres(`create trigger topic_count_audience after update of audience, owner_id, is_private on repo for each row
      when (old.audience <> new.audience) execute function move_topics()`),
    postgres(`create function drop_topics() returns trigger language plpgsql as $$ begin
        delete from repo_topic where repo_id = old.id;
        return old;
      end $$`),
    postgres(`create trigger topic_count_repo before delete on repo for each row execute function drop_topics()`),
  ],
}
