import type { OwnedByAccount } from '../../access/contributions/owned.ts'
import { deleteInvitationsTo } from './invitation.store.ts'

/** Invitations to the addresses of a deleted account. A foreign key deletes those that it made. */
export const invitationsToAccount: OwnedByAccount = {
  of: 'account',
  leave: (tx, account) => deleteInvitationsTo(tx, account.id),
}
