import { Type } from 'typebox'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id } from './ids.ts'

/** Accounts, people as well as organizations. */
export const userEvents = {
  /** `welcomesByMail`: whoever made it wants its owner to be told by mail. */
  'user.created': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      welcomesByMail: Type.Optional(Type.Boolean()),
    },
    { owner: 'userId' },
  ),
  /** The row is gone: what else is known of it is here. */
  /** `purged`: what it wrote elsewhere goes as well, where else it stays under Ghost. */
  'user.deleted': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      name: Type.String(),
      purged: Type.Optional(Type.Boolean()),
    },
    { owner: 'userId' },
  ),
  'user.renamed': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      oldName: Type.String(),
      newName: Type.String(),
    },
    { owner: 'userId' },
  ),
  /** Somebody came onto a team; `watches` tells whether he begins to watch its repositories by that. */
  'team.memberAdded': fact(
    {
      teamId: id<TeamId>(),
      orgId: id<UserId>(),
      userId: id<UserId>(),
      watches: Type.Boolean(),
    },
    { owner: 'orgId' },
  ),
  /** Somebody may do less than before in the repositories of an owner, or nothing any more. */
  'access.reduced': fact({ userId: id<UserId>(), ownerId: id<UserId>() }),
  /** A picture has no row that names it any more; its file is deleted by whoever hears this. */
  'avatar.replaced': fact({
    store: Type.Unsafe<'avatars' | 'repoAvatars'>({ type: 'string', enum: ['avatars', 'repoAvatars'] }),
    key: Type.String(),
  }),
  /** The blocker does not want to hear from the blocked any more. */
  'user.blocked': fact(
    { blockerId: id<UserId>(), blockedId: id<UserId>() },
    { actor: 'blockerId', owner: 'blockerId' },
  ),
}
