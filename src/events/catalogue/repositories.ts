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
  /** `labelSet` names the set of labels it begins with (`site/label.templates.ts`); left out for none. */
  'repo.created': Type.Object({ ...repo, labelSet: Type.Optional(Type.String()) }),
  /** The row is gone: what else is known of it is here. Its git data is removed by whoever hears this. */
  'repo.deleted': Type.Object({
    ...repo,
    ownerId: id<UserId>(),
    ownerName: Type.String(),
    name: Type.String(),
    gitKeys: Type.Array(Type.String()),
    avatarKey: Type.String(),
  }),
  /** It has another owner; `doerId` is who completed it. */
  'repo.transferred': Type.Object({
    ...repo,
    oldOwnerId: id<UserId>(),
    oldOwnerName: Type.String(),
    oldName: Type.String(),
  }),
  /** `repoId` is the fork. */
  'repo.forked': Type.Object({ ...repo, baseId: id<RepoId>() }),
  /** `repoId` was made from a template; whoever owns a thing that it takes copies it in the same transaction. */
  'repo.generated': Type.Object({
    ...repo,
    templateId: id<RepoId>(),
    takes: Type.Object({
      labels: Type.Boolean(),
      avatar: Type.Boolean(),
      webhooks: Type.Boolean(),
      gitHooks: Type.Boolean(),
      protectedBranch: Type.Boolean(),
    }),
  }),
  'repo.renamed': Type.Object({ ...repo, oldName: Type.String(), newName: Type.String() }),
  /** Settings, description, visibility, units or topics changed. */
  'repo.updated': Type.Object(repo),
  'refs.updated': Type.Object({ ...repo, updates: Type.Array(RefUpdate), origin }),
  /** The new name is there, the old one goes next; what goes by the name follows in the transaction of this event. */
  'branch.renamed': Type.Object({ ...repo, oldName: Type.String(), newName: Type.String() }),
  'status.created': Type.Object({ ...repo, statusId: id<StatusId>(), sha: oid<Oid>() }),
  'attachment.created': Type.Object({ attachmentId: id<AttachmentId>(), ...repo }),
  /** The row is gone; its blob is deleted by whoever hears this. */
  'attachment.deleted': Type.Object({ attachmentId: id<AttachmentId>(), ...repo, blobKey: Type.String() }),
}
