import { Type } from 'typebox'
import type { AttachmentId, Oid, RepoId, StatusId, UserId } from '../../lib/ids.ts'
import { id, oid } from './ids.ts'

const repo = { repoId: id<RepoId>(), doerId: id<UserId>() }

/** One ref that moved. Forty or sixty-four zeros as `old`: it is new; as `new`: it is deleted. */
export const RefUpdate = Type.Object({ ref: Type.String(), old: oid<Oid>(), new: oid<Oid>() })

/** What moved the refs. */
const origin = Type.Unsafe<'push' | 'api' | 'web' | 'merge' | 'mirror' | 'internal'>({
  type: 'string',
  enum: ['push', 'api', 'web', 'merge', 'mirror', 'internal'],
})

export const repositoryEvents = {
  'repo.created': Type.Object(repo),
  /** The row is gone: what else is known of it is here. */
  'repo.deleted': Type.Object({ ...repo, ownerId: id<UserId>(), ownerName: Type.String(), name: Type.String() }),
  'repo.renamed': Type.Object({ ...repo, oldName: Type.String(), newName: Type.String() }),
  /** Settings, description, visibility, units or topics changed. */
  'repo.updated': Type.Object(repo),
  'refs.updated': Type.Object({ ...repo, updates: Type.Array(RefUpdate), origin }),
  'status.created': Type.Object({ ...repo, statusId: id<StatusId>(), sha: oid<Oid>() }),
  'attachment.created': Type.Object({ attachmentId: id<AttachmentId>(), ...repo }),
  /** The row is gone; its blob is deleted by whoever hears this. */
  'attachment.deleted': Type.Object({ attachmentId: id<AttachmentId>(), ...repo, blobKey: Type.String() }),
}
