import { Type } from 'typebox'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { id } from './ids.ts'

/** Accounts, people as well as organizations. */
export const userEvents = {
  /** `welcomesByMail`: whoever made it wants its owner to be told by mail. */
  'user.created': Type.Object({
    userId: id<UserId>(),
    doerId: id<UserId>(),
    welcomesByMail: Type.Optional(Type.Boolean()),
  }),
  /** The row is gone: what else is known of it is here. */
  /** `purged`: what it wrote elsewhere goes as well, where else it stays under Ghost. */
  'user.deleted': Type.Object({
    userId: id<UserId>(),
    doerId: id<UserId>(),
    name: Type.String(),
    purged: Type.Optional(Type.Boolean()),
  }),
  'user.renamed': Type.Object({
    userId: id<UserId>(),
    doerId: id<UserId>(),
    oldName: Type.String(),
    newName: Type.String(),
  }),
  /** Somebody came onto a team; `watches` tells whether he begins to watch its repositories by that. */
  'team.memberAdded': Type.Object({
    teamId: id<TeamId>(),
    orgId: id<UserId>(),
    userId: id<UserId>(),
    watches: Type.Boolean(),
  }),
  /** Somebody may do less than before in the repositories of an owner, or nothing any more. */
  'access.reduced': Type.Object({ userId: id<UserId>(), ownerId: id<UserId>() }),
  /** A picture has no row that names it any more; its file is deleted by whoever hears this. */
  'avatar.replaced': Type.Object({
    store: Type.Unsafe<'avatars' | 'repoAvatars'>({ type: 'string', enum: ['avatars', 'repoAvatars'] }),
    key: Type.String(),
  }),
  /** The blocker does not want to hear from the blocked any more. */
  'user.blocked': Type.Object({ blockerId: id<UserId>(), blockedId: id<UserId>() }),
}
