import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

const passOn = `update collaboration set audience = new.audience where repo_id = new.id`

/**
 * Collaborations know the audience of their repository (`scale-2`): of a thousand of them an index tells the few that lead to
 * what nobody else sees. The database keeps it, in the transaction of the change.
 */
export const repoRelations7: Migration = {
  name: 'repo-relations-7',
  statements: [
    `alter table collaboration add column audience integer not null default 0`,
    `update collaboration set audience = repo.audience from repo where repo.id = collaboration.repo_id`,
    ...['insert', 'update of repo_id'].map((act) =>
      sqlite(`create trigger collaboration_audience_${act.slice(0, 6)} after ${act} on collaboration begin
        update collaboration set audience = (select audience from repo where id = new.repo_id)
          where repo_id = new.repo_id and user_id = new.user_id;
      end`),
    ),
    sqlite(`create trigger repo_audience_given after update of audience on repo when old.audience <> new.audience begin
      ${passOn};
    end`),
    // Whoever hides or shows the repository meanwhile is waited for.
    postgres(`create function copy_audience() returns trigger language plpgsql as $$ begin
        select audience into new.audience from repo where id = new.repo_id for no key update;
        return new;
      end $$`),
    postgres(`create trigger collaboration_audience before insert or update of repo_id on collaboration
      for each row execute function copy_audience()`),
    postgres(`create function pass_on_audience_given() returns trigger language plpgsql as $$ begin
        ${passOn};
        return null;
      end $$`),
    postgres(`create trigger repo_audience_given after update of audience, owner_id, is_private on repo for each row
      when (old.audience <> new.audience) execute function pass_on_audience_given()`),
    `drop index collaboration_user`,
    `create index collaboration_user on collaboration (user_id, audience, repo_id, access_mode)`,
  ],
}
