import { Type } from 'typebox'
import type { LinkId, RepoId, TeamId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { accessMode, id, text, visibility } from './ids.ts'

/** Members that a user and an organization share. */
const oldProfile = {
  oldFullName: Type.Optional(text),
  oldEmail: Type.Optional(text),
  oldDescription: Type.Optional(text),
  oldWebsite: Type.Optional(text),
  oldLocation: Type.Optional(text),
  oldVisibility: Type.Optional(visibility),
  oldAvatarKey: Type.Optional(Type.String()),
}

const team = { teamId: id<TeamId>(), orgId: id<UserId>(), doerId: id<UserId>() }
const oldTeam = {
  mode: accessMode,
  includesAllRepositories: Type.Boolean(),
  canCreateOrgRepo: Type.Boolean(),
}
/** Access level by unit. */
const units = Type.Record(Type.String(), accessMode)
const block = { blockerId: id<UserId>(), blockedId: id<UserId>(), doerId: id<UserId>() }
const follow = { userId: id<UserId>(), followerId: id<UserId>(), doerId: id<UserId>() }

/** Values of `what` in `credential.changed`. */
const changedCredentials = [
  'password',
  'codes',
  'passkey',
  'secondFactorRemoved',
  'token',
  'sshKey',
  'application',
  'emailAddress',
  'webhook',
  'secret',
  'deployKey',
  'openpgpKey',
  'pushMirror',
  'runnerToken',
  'administrator',
] as const
export type ChangedCredential = (typeof changedCredentials)[number]

/** Users and organizations. */
export const userEvents = {
  /** `welcomesByMail`: the creator requested a welcome mail. */
  'user.created': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      welcomesByMail: Type.Optional(Type.Boolean()),
    },
    { owner: 'userId' },
  ),
  /** The row was deleted; the data describe it. */
  /** `purged`: its texts are deleted too; otherwise they stay as those of Ghost. */
  'user.deleted': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      name: Type.String(),
      purged: Type.Optional(Type.Boolean()),
    },
    { owner: 'userId' },
  ),
  'user.renamed': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      oldName: Type.String(),
      newName: Type.String(),
    },
    { owner: 'userId' },
  ),
  /**
   * Public members, rights, and the primary address (`oldEmail`). Other addresses, keys and preferences publish nothing.
   */
  'user.edited': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      ...oldProfile,
      oldPronouns: Type.Optional(text),
      oldKeepEmailPrivate: Type.Optional(Type.Boolean()),
      oldHideActivity: Type.Optional(Type.Boolean()),
      oldIsAdmin: Type.Optional(Type.Boolean()),
      oldIsRestricted: Type.Optional(Type.Boolean()),
      oldIsActive: Type.Optional(Type.Boolean()),
      oldProhibitLogin: Type.Optional(Type.Boolean()),
    },
    { owner: 'userId' },
  ),
  'org.edited': fact(
    {
      orgId: id<UserId>(),
      doerId: id<UserId>(),
      ...oldProfile,
      oldRepoAdminChangeTeamAccess: Type.Optional(Type.Boolean()),
    },
    { owner: 'orgId' },
  ),
  /** `followerId` follows `userId`; `doerId` differs from the follower when a block ends it. */
  'user.followed': fact(follow, { owner: 'userId' }),
  'user.unfollowed': fact(follow, { owner: 'userId' }),
  /** The owners team of a new organization publishes nothing. */
  'team.created': fact(team, { owner: 'orgId' }),
  /** `oldUnits` has all units when one changed. */
  'team.edited': fact(
    {
      ...team,
      oldName: Type.Optional(Type.String()),
      oldDescription: Type.Optional(text),
      oldMode: Type.Optional(accessMode),
      oldIncludesAllRepositories: Type.Optional(Type.Boolean()),
      oldCanCreateOrgRepo: Type.Optional(Type.Boolean()),
      oldUnits: Type.Optional(units),
    },
    { owner: 'orgId' },
  ),
  /** The row was deleted; the data describe it. */
  'team.deleted': fact({ ...team, ...oldTeam, name: Type.String(), description: text, units }, { owner: 'orgId' }),
  'team.memberRemoved': fact({ ...team, userId: id<UserId>() }, { owner: 'orgId' }),
  /** For teams with explicit repositories only. */
  'team.repoAdded': fact({ ...team, repoId: id<RepoId>() }, { owner: 'orgId' }),
  'team.repoRemoved': fact({ ...team, repoId: id<RepoId>() }, { owner: 'orgId' }),
  /** An account joined a team; `watches` states whether it starts to watch its repositories. */
  'team.memberAdded': fact(
    {
      teamId: id<TeamId>(),
      orgId: id<UserId>(),
      userId: id<UserId>(),
      watches: Type.Boolean(),
      doerId: Type.Optional(id<UserId>()),
    },
    { owner: 'orgId' },
  ),
  /** An account lost access in the repositories of an owner. */
  'access.reduced': fact({ userId: id<UserId>(), ownerId: id<UserId>() }),
  /** No row names the picture any more; a subscriber deletes its file. */
  'avatar.replaced': fact({
    store: Type.Unsafe<'avatars' | 'repoAvatars'>({ type: 'string', enum: ['avatars', 'repoAvatars'] }),
    key: Type.String(),
  }),
  /** A mail with a link was requested, possibly for an unknown address (`users/entry/`). */
  'link.requested': fact({ linkId: id<LinkId>() }),
  /**
   * A credential was added or changed, or the account created something that outlives its credential. `name` is its name
   * for the user. `user.edited` covers changes of the primary address.
   */
  'credential.changed': fact(
    {
      userId: id<UserId>(),
      what: Type.Unsafe<ChangedCredential>({
        type: 'string',
        enum: [...changedCredentials],
      }),
      name: text,
    },
    { owner: 'userId', actor: 'userId' },
  ),
  /** A token, session or application access was revoked; its lasting replies end. No mail is sent. */
  'credential.ended': fact(
    {
      userId: id<UserId>(),
      what: Type.Unsafe<'token' | 'session' | 'application'>({
        type: 'string',
        enum: ['token', 'session', 'application'],
      }),
    },
    { owner: 'userId', actor: 'userId' },
  ),
  /** A user or organization blocked an account. */
  'user.blocked': fact(block, { owner: 'blockerId' }),
  'user.unblocked': fact(block, { owner: 'blockerId' }),
}
