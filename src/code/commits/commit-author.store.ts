import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { UserRow } from '../../db/tables/accounts.ts'

const accountsByEmail = preparedQuery((db: Db, lowerEmails: string) =>
  db
    // This join order suits addresses without an account, which are most.
    .selectFrom(sql<{ value: string }>`${textList(db, lowerEmails)}`.as('wanted'))
    .crossJoin('email')
    .crossJoin('user')
    .selectAll('user')
    .select('email.lower_email')
    .whereRef('email.lower_email', '=', 'wanted.value')
    .whereRef('user.id', '=', 'email.user_id')
    .where('email.is_activated', '=', sql.lit(true)),
)

/** Accounts with the given confirmed addresses, in lower case. */
export const listAccountsByEmail = (db: Db, lowerEmails: readonly string[]) =>
  accountsByEmail(db, textListText(lowerEmails))

export const listAccountsByName = (db: Db, lowerNames: readonly string[]): Promise<UserRow[]> =>
  db.selectFrom('user').selectAll().where('lower_name', 'in', lowerNames).where('kind', '=', 'individual').execute()
