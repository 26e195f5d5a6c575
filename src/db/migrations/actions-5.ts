import type { Migration } from './migration.ts'

/** What is taken out of the log of a task, and whether an artifact is one file or packed ones. */
export const actions5: Migration = {
  name: 'actions-5',
  statements: [
    `alter table action_task add column masks text not null default ''`,
    `alter table action_artifact add column is_zip boolean not null default true`,
  ],
}
