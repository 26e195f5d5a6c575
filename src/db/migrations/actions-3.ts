import type { Migration } from './migration.ts'

/** Logs that are stored whole: where their blocks begin. */
export const actions3: Migration = {
  name: 'actions-3',
  statements: [`alter table action_task add column log_index text not null default '[]'`],
}
