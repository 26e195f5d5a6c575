import { Type } from 'typebox'
import type { RepoId, SavedViewId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id } from './ids.ts'

/** A view of a repository has `repoId`, one of an organization `orgId`, and one of a person neither. */
const view = {
  viewId: id<SavedViewId>(),
  doerId: id<UserId>(),
  repoId: Type.Optional(id<RepoId>()),
  orgId: Type.Optional(id<UserId>()),
}

export const boardEvents = {
  'view.created': fact(view, { owner: 'orgId' }),
  'view.edited': fact(view, { owner: 'orgId' }),
  'view.deleted': fact(view, { owner: 'orgId' }),
  /** Somebody put a card somewhere. What the issue got by it has an event of its own. */
  'view.arranged': fact(view, { owner: 'orgId' }),
}
