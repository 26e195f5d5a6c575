import type { Migration } from './migration.ts'

export const repositories2: Migration = {
  name: 'repositories-2',
  formerly: '0010-ref-journal',
  statements: [`alter table ref_journal add column followed text not null default ''`],
}
