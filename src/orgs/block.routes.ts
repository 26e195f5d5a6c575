import { signedIn } from '../access/requirements.ts'
import { blockOperations } from '../users/social/block.operations.ts'
import { inOrg, orgOwner } from './org.requirements.ts'

export const {
  list: orgListBlockedUsers,
  put: orgBlockUser,
  end: orgUnblockUser,
} = blockOperations({
  path: '/orgs/{org}',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  ownerOf: ({ viewer, org }) => ({ viewer, account: org }),
})
