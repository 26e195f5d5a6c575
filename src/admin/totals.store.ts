import type { Db } from '../db/database.ts'

/** How many rows there are of the things an operator watches, by their plural. */
export async function countTotals(db: Db): Promise<Readonly<Record<string, number>>> {
  const [accounts, tokens, repositories] = await Promise.all([
    db
      .selectFrom('user')
      .select((row) => ['kind', row.fn.countAll<number>().as('count')])
      .groupBy('kind')
      .execute(),
    db
      .selectFrom('access_token')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('repo')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  ])
  const ofKind = (kind: string): number => accounts.find((row) => row.kind === kind)?.count ?? 0
  return {
    users: ofKind('individual'),
    organizations: ofKind('organization'),
    repositories: repositories.count,
    access_tokens: tokens.count,
  }
}
