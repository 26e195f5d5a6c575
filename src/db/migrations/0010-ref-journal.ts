import type { Migration } from './migration.ts'

export const refJournal: Migration = {
  name: '0010-ref-journal',
  statements: [`alter table ref_journal add column followed text not null default ''`],
}
