import { signedIn } from '../../access/requirements.ts'
import { blockOperations } from './block.operations.ts'

export const {
  list: userListBlockedUsers,
  put: userBlockUser,
  end: userUnblockUser,
} = blockOperations({
  path: '/user',
  scope: 'user',
  requires: [signedIn],
  ownerOf: ({ viewer }) => ({ viewer, account: viewer.user }),
})
