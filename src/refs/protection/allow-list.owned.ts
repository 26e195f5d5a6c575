import type { OwnedByAccount } from '../../access/contributions/owned.ts'
import { takeAccountOffLists } from './allow-list.store.ts'

/** Where an account that goes was allowed what others are not. */
export const allowances: OwnedByAccount = {
  of: 'account',
  leave: (tx, account) => takeAccountOffLists(tx, account.id),
}
