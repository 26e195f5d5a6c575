import { Type } from 'typebox'
import type { UserId } from '../../lib/ids.ts'
import { id } from './ids.ts'

/** Accounts, people as well as organizations. */
export const userEvents = {
  'user.created': Type.Object({ userId: id<UserId>(), doerId: id<UserId>() }),
  /** The row is gone: what else is known of it is here. */
  'user.deleted': Type.Object({ userId: id<UserId>(), doerId: id<UserId>(), name: Type.String() }),
  'user.renamed': Type.Object({
    userId: id<UserId>(),
    doerId: id<UserId>(),
    oldName: Type.String(),
    newName: Type.String(),
  }),
}
