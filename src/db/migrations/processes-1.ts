import type { Migration } from './migration.ts'

/**
 * Processes with their heartbeats, and whose work a journal entry is. An entry without a process was written by the
 * release before.
 */
export const processes1: Migration = {
  name: 'processes-1',
  statements: [
    `create table process (id text primary key, beat_ms bigint not null)`,
    `alter table ref_journal add column process_id text not null default ''`,
  ],
}
