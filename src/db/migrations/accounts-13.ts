import type { Migration } from './migration.ts'

/** Accounts by the name under which their source knows them: looking for one went through all. */
export const accounts13: Migration = {
  name: 'accounts-13',
  statements: [`create index user_login_name on "user" (login_name) where login_name <> ''`],
}
