import type { Migration } from './migration.ts'

/** What mirrors follow besides git data, and through which API. */
export const imports2: Migration = {
  name: 'imports-2',
  statements: [
    `alter table mirror add column follows text not null default '[]'`,
    `alter table mirror add column service text not null default 'git'`,
  ],
}
