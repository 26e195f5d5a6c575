import { Type } from 'typebox'
import type { ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, text } from './ids.ts'

const release = { repoId: id<RepoId>(), releaseId: id<ReleaseId>(), doerId: id<UserId>() }

export const releaseEvents = {
  /** A draft was created; only writers of releases may see it. */
  'release.drafted': fact(release),
  /** A release was published, new or from a draft. Its tag exists. */
  'release.published': fact(release),
  /** Unchanged members are missing. `isDraft` is the new state. */
  'release.updated': fact({
    ...release,
    isDraft: Type.Boolean(),
    wasDraft: Type.Boolean(),
    oldTagName: Type.Optional(Type.String()),
    oldTitle: Type.Optional(text),
    oldContent: Type.Optional(text),
  }),
  /** The row was deleted; the data describe it. */
  'release.deleted': fact({
    ...release,
    tagName: Type.String(),
    target: Type.String(),
    title: text,
    content: text,
    isDraft: Type.Boolean(),
    isPrerelease: Type.Boolean(),
    hidesArchiveLinks: Type.Boolean(),
    publisherId: id<UserId>(),
    createdUnix: Type.Integer(),
  }),
}
