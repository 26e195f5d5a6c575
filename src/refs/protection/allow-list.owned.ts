import type { OwnedByAccount } from '../../access/contributions/owned.ts'
import { takeOffLists } from './allow-list.store.ts'

/** Removes a deleted account from allow lists. */
export const allowances: OwnedByAccount = {
  of: 'account',
  leave: (tx, account) => takeOffLists(tx, 'user', account.id),
}
