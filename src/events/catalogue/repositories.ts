import { Type } from 'typebox'
import type { AttachmentId, InvitationId, Oid, RepoId, StatusId, TeamId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { accessMode, id, oid, text } from './ids.ts'

const repo = { repoId: id<RepoId>(), doerId: id<UserId>() }

/** A changed reference. An all-zero `old` means created, an all-zero `new` deleted. */
export const RefUpdate = Type.Object({ ref: Type.String(), old: oid<Oid>(), new: oid<Oid>() })

/** `userId` is concerned; `doerId` differs when another account caused it. */
const person = { ...repo, userId: id<UserId>() }

/** An invitation to a repository has `repoId`, one to a team `teamId` and `orgId`. */
const invitation = {
  invitationId: id<InvitationId>(),
  inviterId: id<UserId>(),
  doerId: id<UserId>(),
  /** Access of the new collaborator; 0 for a team. */
  mode: accessMode,
  repoId: Type.Optional(id<RepoId>()),
  teamId: Type.Optional(id<TeamId>()),
  orgId: Type.Optional(id<UserId>()),
}

/** Previous state of a unit. */
const OldUnit = Type.Object({
  unit: Type.String(),
  wasOn: Type.Boolean(),
  /** Settings of an enabled unit. */
  config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  defaultMode: Type.Optional(accessMode),
})

/** What changed the references. */
const origin = Type.Unsafe<'push' | 'api' | 'web' | 'merge' | 'mirror' | 'internal'>({
  type: 'string',
  enum: ['push', 'api', 'web', 'merge', 'mirror', 'internal'],
})

const repositoryKind = Type.Unsafe<'code' | 'wiki'>({ type: 'string', enum: ['code', 'wiki'] })

export const repositoryEvents = {
  /** `labelSet` names the initial set of labels (`site/label.templates.ts`); missing for none. */
  'repo.created': fact({ ...repo, labelSet: Type.Optional(Type.String()) }),
  /** The row was deleted; the data describe it. A subscriber deletes its git data. */
  'repo.deleted': fact({
    ...repo,
    ownerId: id<UserId>(),
    ownerName: Type.String(),
    name: Type.String(),
    gitKeys: Type.Array(Type.String()),
    avatarKey: Type.String(),
  }),
  /** An import failed or was cancelled; a subscriber deletes what it had created. */
  'repo.importAbandoned': fact({ ...repo, gitKeys: Type.Array(Type.String()) }),
  /** A mirror fetched the references of its original; published for mirrors that copy more than git data. */
  'mirror.synced': fact(repo),
  /** A transfer was offered to another account. */
  'repo.transferOffered': fact({ ...repo, recipientId: id<UserId>() }),
  /** The owner changed; `doerId` completed the transfer. */
  'repo.transferred': fact({
    ...repo,
    oldOwnerId: id<UserId>(),
    oldOwnerName: Type.String(),
    oldName: Type.String(),
  }),
  /** `repoId` is the fork. */
  'repo.forked': fact({ ...repo, baseId: id<RepoId>() }),
  /** `repoId` was generated from a template; the owners of each kind of data copy it in the same transaction. */
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
   * Settings, description, units, topics or the picture changed; name and visibility have their own events. `oldUnits`
   * contains changed units only.
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
  /** Also published for each fork that follows its base. */
  'repo.visibilityChanged': fact({ ...repo, isPrivate: Type.Boolean() }),
  /** Deleting an account or repository publishes no events for its stars. */
  'repo.starred': fact(person),
  'repo.unstarred': fact(person),
  /** Explicit choices of users. Watching that follows from a membership, access or block publishes nothing. */
  'repo.watched': fact(person),
  'repo.unwatched': fact(person),
  'collaborator.added': fact({ ...person, mode: accessMode }),
  'collaborator.changed': fact({ ...person, mode: accessMode, oldMode: accessMode }),
  'collaborator.removed': fact({ ...person, oldMode: accessMode }),
  'invitation.created': fact(invitation, { owner: 'orgId' }),
  'invitation.revoked': fact(invitation, { owner: 'orgId' }),
  /** `doerId` accepts; the membership or collaboration has an event of its own. */
  'invitation.accepted': fact(invitation, { owner: 'orgId' }),
  'invitation.declined': fact(invitation, { owner: 'orgId' }),
  /** In the git repository of the code or the wiki. */
  'refs.updated': fact({ ...repo, kind: repositoryKind, updates: Type.Array(RefUpdate), origin }),
  /**
   * The new branch exists; the old one is deleted next. Subscribers rename references to it in the same transaction.
   */
  'branch.renamed': fact({ ...repo, oldName: Type.String(), newName: Type.String() }),
  'status.created': fact({ ...repo, statusId: id<StatusId>(), sha: oid<Oid>() }),
  'attachment.created': fact({ attachmentId: id<AttachmentId>(), ...repo }),
  /** The row was deleted; a subscriber deletes its blob. */
  'attachment.deleted': fact({ attachmentId: id<AttachmentId>(), ...repo, blobKey: Type.String() }),
}
