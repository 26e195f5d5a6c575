import type { OwnedByAccount } from '../access/contributions/owned.ts'
import { deleteAllFollows } from './social/follow.store.ts'

/** Whom an account follows, and who follows it. */
export const follows: OwnedByAccount = {
  of: 'account',
  leave: (tx, account) => deleteAllFollows(tx, account.id),
}
