import { Type } from 'typebox'
import type { ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, text } from './ids.ts'

const release = { repoId: id<RepoId>(), releaseId: id<ReleaseId>(), doerId: id<UserId>() }

export const releaseEvents = {
  /** A draft was begun: what only those who write releases may know of. */
  'release.drafted': fact(release),
  /** It is there for everybody: a new one, or what was a draft. Its tag is there too. */
  'release.published': fact(release),
  /** What did not change is left out. `isDraft`: it is one after the change. */
  'release.updated': fact({
    ...release,
    isDraft: Type.Boolean(),
    wasDraft: Type.Boolean(),
    oldTagName: Type.Optional(Type.String()),
    oldTitle: Type.Optional(text),
    oldContent: Type.Optional(text),
  }),
  /** The row is gone: what it was is here. Its files are told by `attachment.deleted`. */
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
