import type { Migration } from './migration.ts'

/**
 * A thread knows which comment or review moved it last and what its status was before, so that the deletion of the text
 * takes the thread back.
 */
export const notifications3: Migration = {
  name: 'notifications-3',
  statements: [
    `alter table notification add column cause text not null default ''`,
    `alter table notification add column earlier_status text`,
  ],
}
