import type { Db } from '../db/database.ts'

/** Returns the number of accounts by kind, and of tokens. */
export async function countAccounts(db: Db): Promise<{ users: number; organizations: number; access_tokens: number }> {
  const [accounts, tokens] = await Promise.all([
    db
      .selectFrom('user')
      .select((row) => ['kind', row.fn.countAll<number>().as('count')])
      .groupBy('kind')
      .execute(),
    db
      .selectFrom('access_token')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  ])
  const ofKind = (kind: string): number => accounts.find((row) => row.kind === kind)?.count ?? 0
  return { users: ofKind('individual'), organizations: ofKind('organization'), access_tokens: tokens.count }
}
