import { Type } from 'typebox'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, text } from './ids.ts'

/** `page` is its file without the ending; `message` is that of the commit. */
const page = { repoId: id<RepoId>(), doerId: id<UserId>(), page: Type.String(), message: text }

/** Of changes by whatever door; a push tells of each page once, as it was before and is after it. */
export const wikiEvents = {
  'wiki.pageCreated': fact(page),
  /** `oldPage` when it was called otherwise. */
  'wiki.pageEdited': fact({ ...page, oldPage: Type.Optional(Type.String()) }),
  'wiki.pageDeleted': fact(page),
}
