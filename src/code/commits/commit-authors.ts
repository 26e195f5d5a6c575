import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { listAccountsByEmail, listAccountsByName } from './commit-author.store.ts'

/** Accounts by the addresses in commits, ignoring case. */
export interface CommitAuthors {
  of(email: string): UserRow | undefined
}

/**
 * Loads the accounts of addresses: confirmed addresses and no-reply addresses (`name@` and the instance's no-reply
 * domain). At most two queries.
 */
export async function loadCommitAuthors(
  ctx: Pick<Ctx, 'db' | 'config'>,
  emails: Iterable<string>,
): Promise<CommitAuthors> {
  const wanted = [...new Set([...emails].map((email) => email.toLowerCase()))].filter((email) => email !== '')
  const hiddenEnd = `@${ctx.config.service.noReplyAddress.toLowerCase()}`
  const names = wanted.filter((email) => email.endsWith(hiddenEnd)).map((email) => email.slice(0, -hiddenEnd.length))
  const [byEmail, byName] = await Promise.all([
    wanted.length > 0 ? listAccountsByEmail(ctx.db, wanted) : [],
    names.length > 0 ? listAccountsByName(ctx.db, names) : [],
  ])
  const found = new Map<string, UserRow>(byName.map((user) => [user.lower_name + hiddenEnd, user]))
  for (const { lower_email, ...user } of byEmail) found.set(lower_email, user)
  return { of: (email) => found.get(email.toLowerCase()) }
}
