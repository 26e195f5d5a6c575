import { Type } from 'typebox'
import type { AttachmentId, Oid, RepoId, StatusId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { accessMode, id, oid, text } from './ids.ts'

const repo = { repoId: id<RepoId>(), doerId: id<UserId>() }

/** One ref that moved. Forty or sixty-four zeros as `old`: it is new; as `new`: it is deleted. */
export const RefUpdate = Type.Object({ ref: Type.String(), old: oid<Oid>(), new: oid<Oid>() })

/** `userId` is whom it is about; `doerId` is somebody else when it follows from what they did. */
const person = { ...repo, userId: id<UserId>() }

/** What a unit was before a change. */
const OldUnit = Type.Object({
  unit: Type.String(),
  wasOn: Type.Boolean(),
  /** Its settings, when it was on. */
  config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  defaultMode: Type.Optional(accessMode),
})

/** What moved the refs. */
const origin = Type.Unsafe<'push' | 'api' | 'web' | 'merge' | 'mirror' | 'internal'>({
  type: 'string',
  enum: ['push', 'api', 'web', 'merge', 'mirror', 'internal'],
})

const repositoryKind = Type.Unsafe<'code' | 'wiki'>({ type: 'string', enum: ['code', 'wiki'] })

export const repositoryEvents = {
  /** `labelSet` names the set of labels it begins with (`site/label.templates.ts`); left out for none. */
  'repo.created': fact({ ...repo, labelSet: Type.Optional(Type.String()) }),
  /** The row is gone: what else is known of it is here. Its git data is removed by whoever hears this. */
  'repo.deleted': fact({
    ...repo,
    ownerId: id<UserId>(),
    ownerName: Type.String(),
    name: Type.String(),
    gitKeys: Type.Array(Type.String()),
    avatarKey: Type.String(),
  }),
  /** An import failed or was given up: what it had brought of a repository that nobody saw is removed by whoever hears this. */
  'repo.importAbandoned': fact({ ...repo, gitKeys: Type.Array(Type.String()) }),
  /** A mirror has the references of its original; told of those that follow more of it. */
  'mirror.synced': fact(repo),
  /** Another account was offered it, and has to accept it. */
  'repo.transferOffered': fact({ ...repo, recipientId: id<UserId>() }),
  /** It has another owner; `doerId` is who completed it. */
  'repo.transferred': fact({
    ...repo,
    oldOwnerId: id<UserId>(),
    oldOwnerName: Type.String(),
    oldName: Type.String(),
  }),
  /** `repoId` is the fork. */
  'repo.forked': fact({ ...repo, baseId: id<RepoId>() }),
  /** `repoId` was made from a template; whoever owns a thing that it takes copies it in the same transaction. */
  'repo.generated': fact({
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
  'repo.renamed': fact({ ...repo, oldName: Type.String(), newName: Type.String() }),
  /**
   * Settings, description, units, topics or the picture changed; name and visibility have events of their own. `oldUnits`
   * has only the units that changed. Rows of a release that did not say what was before have none of the old values.
   */
  'repo.updated': fact({
    ...repo,
    oldDescription: Type.Optional(text),
    oldWebsite: Type.Optional(text),
    oldDefaultBranch: Type.Optional(Type.String()),
    oldWikiBranch: Type.Optional(Type.String()),
    oldIsTemplate: Type.Optional(Type.Boolean()),
    oldIsArchived: Type.Optional(Type.Boolean()),
    oldAvatarKey: Type.Optional(Type.String()),
    oldTopics: Type.Optional(Type.Array(Type.String())),
    oldUnits: Type.Optional(Type.Array(OldUnit)),
    oldMirrorIntervalSeconds: Type.Optional(Type.Integer()),
    oldMirrorPrunes: Type.Optional(Type.Boolean()),
  }),
  /** Also of each fork that followed its base. */
  'repo.visibilityChanged': fact({ ...repo, isPrivate: Type.Boolean() }),
  /** Stars that go with an account or a repository are told by its deletion alone. */
  'repo.starred': fact(person),
  'repo.unstarred': fact(person),
  /**
   * What people say themselves. Watching that begins or ends with a membership, an access or a block follows from the event
   * of that, and would be hundreds of rows for one new member.
   */
  'repo.watched': fact(person),
  'repo.unwatched': fact(person),
  'collaborator.added': fact({ ...person, mode: accessMode }),
  'collaborator.changed': fact({ ...person, mode: accessMode, oldMode: accessMode }),
  'collaborator.removed': fact({ ...person, oldMode: accessMode }),
  /** In the git repository of the code, or in that of the wiki. */
  'refs.updated': fact({ ...repo, kind: repositoryKind, updates: Type.Array(RefUpdate), origin }),
  /** The new name is there, the old one goes next; what goes by the name follows in the transaction of this event. */
  'branch.renamed': fact({ ...repo, oldName: Type.String(), newName: Type.String() }),
  'status.created': fact({ ...repo, statusId: id<StatusId>(), sha: oid<Oid>() }),
  'attachment.created': fact({ attachmentId: id<AttachmentId>(), ...repo }),
  /** The row is gone; its blob is deleted by whoever hears this. */
  'attachment.deleted': fact({ attachmentId: id<AttachmentId>(), ...repo, blobKey: Type.String() }),
}
