import type { OwnedByAccount } from '../access/contributions/owned.ts'
import { deleteAllFollows } from './social/follow.store.ts'

/** Follows of and by an account. */
export const follows: OwnedByAccount = {
  of: 'account',
  leave: (tx, account) => deleteAllFollows(tx, account.id),
}
