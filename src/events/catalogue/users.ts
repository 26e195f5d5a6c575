import { Type } from 'typebox'
import type { LinkId, RepoId, TeamId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { accessMode, id, text, visibility } from './ids.ts'

/** What may change of a person as well as of an organization. */
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
/** Access by the name of the unit. */
const units = Type.Record(Type.String(), accessMode)
const block = { blockerId: id<UserId>(), blockedId: id<UserId>(), doerId: id<UserId>() }
const follow = { userId: id<UserId>(), followerId: id<UserId>(), doerId: id<UserId>() }

/** The values of `what` in `credential.changed`. */
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

/** Accounts, people as well as organizations. */
export const userEvents = {
  /** `welcomesByMail`: whoever made it wants its owner to be told by mail. */
  'user.created': fact(
    {
      userId: id<UserId>(),
      doerId: id<UserId>(),
      welcomesByMail: Type.Optional(Type.Boolean()),
    },
    { owner: 'userId' },
  ),
  /** The row is gone: what else is known of it is here. */
  /** `purged`: what it wrote elsewhere goes as well, where else it stays under Ghost. */
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
   * What others see of a person, or what decides what they may do and where mail goes (`oldEmail`: the primary address).
   * Other addresses, keys and their own preferences are nobody else's matter.
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
  /** `followerId` follows `userId`; `doerId` is another than the follower when a block ends it. */
  'user.followed': fact(follow, { owner: 'userId' }),
  'user.unfollowed': fact(follow, { owner: 'userId' }),
  /** The team of owners comes with its organization. */
  'team.created': fact(team, { owner: 'orgId' }),
  /** `oldUnits` has all of them when one changed. */
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
  /** The row is gone: what it was is here. */
  'team.deleted': fact({ ...team, ...oldTeam, name: Type.String(), description: text, units }, { owner: 'orgId' }),
  'team.memberRemoved': fact({ ...team, userId: id<UserId>() }, { owner: 'orgId' }),
  /** By a row of its own: teams of all repositories have those that come and go without it. */
  'team.repoAdded': fact({ ...team, repoId: id<RepoId>() }, { owner: 'orgId' }),
  'team.repoRemoved': fact({ ...team, repoId: id<RepoId>() }, { owner: 'orgId' }),
  /** Somebody came onto a team; `watches` tells whether they begin to watch its repositories by that. */
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
  /** Somebody may do less than before in the repositories of an owner, or nothing any more. */
  'access.reduced': fact({ userId: id<UserId>(), ownerId: id<UserId>() }),
  /** A picture has no row that names it any more; its file is deleted by whoever hears this. */
  'avatar.replaced': fact({
    store: Type.Unsafe<'avatars' | 'repoAvatars'>({ type: 'string', enum: ['avatars', 'repoAvatars'] }),
    key: Type.String(),
  }),
  /** Somebody asked for a mail with a link, by an address that may be nobody's (`users/entry/`). */
  'link.requested': fact({ linkId: id<LinkId>() }),
  /**
   * A credential of an account was changed or added, or the account created something that outlives the credential it was
   * created with. `name` is what people call it. A change of the primary address is in `user.edited`.
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
  /**
   * A token or a session of an account was ended, or the access of an application. It ends the answers under way that began
   * with the credential. No mail is sent.
   */
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
  /** The blocker, who may be an organization, does not want to hear from the blocked any more. */
  'user.blocked': fact(block, { owner: 'blockerId' }),
  'user.unblocked': fact(block, { owner: 'blockerId' }),
}
