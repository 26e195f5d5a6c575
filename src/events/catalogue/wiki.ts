import { Type } from 'typebox'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, text } from './ids.ts'

/** `page` is the file name without its extension; `message` is the commit message. */
const page = { repoId: id<RepoId>(), doerId: id<UserId>(), page: Type.String(), message: text }

/** Published for changes on any path; a push publishes one event per page. */
export const wikiEvents = {
  'wiki.pageCreated': fact(page),
  /** `oldPage` is the previous name after a rename. */
  'wiki.pageEdited': fact({ ...page, oldPage: Type.Optional(Type.String()) }),
  'wiki.pageDeleted': fact(page),
}
