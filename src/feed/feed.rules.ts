import type { Event, EventData, EventName } from '../events/catalogue.ts'
import type { Scope } from '../http/operation.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'

/**
 * The readers of an entry:
 * - `unit`, `repository`, `administration`: anyone who reads the unit, sees the repository or administers it
 * - `members`: members of the organization
 * - `account`: anyone who may see the account
 * - `owners`: the account that owned the repository, or the owners of that organization
 * - `administrators`: administrators of the instance
 * - `nobody else`: only the accounts in `about`
 */
export type Readers =
  | { readonly of: 'unit'; readonly unit: RepoUnit }
  | { readonly of: 'repository' }
  | { readonly of: 'administration' }
  | { readonly of: 'members' }
  | { readonly of: 'account'; readonly member: 'userId' | 'orgId' | 'ownerId' }
  | { readonly of: 'owners' }
  | { readonly of: 'administrators' }
  | { readonly of: 'nobody else' }

interface Rule<Name extends EventName> {
  /** The scope that a token needs for reading, besides the access of its account. */
  readonly scope: Scope
  /** Undefined: nobody reads the event. */
  readers(event: Event<Name>): Readers | undefined
  /** Accounts that also read the event because it is about them. */
  readonly about?: readonly Concerned[]
}

/** Members of event data with the id of an account that the event is about. */
type Concerned = 'userId' | 'recipientId' | 'followerId' | 'blockerId'

/** Marks a kind of event that the feed omits, with the reason. */
interface Omitted {
  readonly omitted: string
}

/** Each kind of event must have a rule or a reason for its omission. */
type Rules = { readonly [Name in EventName]: Rule<Name> | Omitted }

const unit = (name: RepoUnit): Readers => ({ of: 'unit', unit: name })
const withReaders = (scope: Scope, readers: Readers) => ({ scope, readers: (): Readers => readers })

const ofTracker = {
  scope: 'issue',
  readers: ({ data }: { readonly data: { readonly isPull: boolean } }): Readers =>
    unit(data.isPull ? 'pulls' : 'issues'),
} as const
const ofPulls = withReaders('repository', unit('pulls'))
const ofRepository = withReaders('repository', { of: 'repository' })
const ofCode = withReaders('repository', unit('code'))
const ofWiki = withReaders('repository', unit('wiki'))
const ofAdministrators = withReaders('repository', { of: 'administration' })
const ofMembers = withReaders('organization', { of: 'members' })
const ofAccount = withReaders('user', { of: 'account', member: 'userId' })
const ofActions = withReaders('repository', unit('actions'))
const ofPackages = withReaders('package', { of: 'account', member: 'ownerId' })
const between = (scope: Scope, ...about: readonly Concerned[]) => ({
  ...withReaders(scope, { of: 'nobody else' }),
  about,
})
/** Views of persons are theirs alone. */
const ofViews = {
  scope: 'issue',
  readers: ({ data }: { readonly data: EventData<'view.created'> }): Readers =>
    data.repoId !== undefined ? unit('projects') : data.orgId !== undefined ? { of: 'members' } : { of: 'nobody else' },
} as const
const omitted = (reason: string): Omitted => ({ omitted: reason })

const rules: Rules = {
  'issue.opened': ofTracker,
  'issue.closed': ofTracker,
  'issue.reopened': ofTracker,
  'issue.edited': ofTracker,
  'issue.labelled': ofTracker,
  'issue.assigned': ofTracker,
  'issue.milestoned': ofTracker,
  'issue.locked': ofTracker,
  'issue.pinned': ofTracker,
  'issue.referenced': ofTracker,
  'issue.deleted': ofTracker,
  'issue.commented': ofTracker,
  'comment.edited': ofTracker,
  'comment.deleted': ofTracker,
  'view.created': ofViews,
  'view.edited': ofViews,
  'view.deleted': ofViews,
  'view.arranged': ofViews,
  'pull.opened': ofPulls,
  'pull.merged': ofPulls,
  'pull.synchronized': ofPulls,
  'pull.retargeted': ofPulls,
  'pull.readied': ofPulls,
  'pull.mergeScheduled': ofPulls,
  'review.submitted': ofPulls,
  'review.requested': ofPulls,
  'review.dismissed': ofPulls,
  'review.resolved': ofPulls,
  'review.deleted': ofPulls,
  'repo.created': ofRepository,
  // The repository no longer exists, so its rights cannot be checked.
  'repo.deleted': withReaders('repository', { of: 'owners' }),
  'mirror.synced': omitted('the changes of the mirror have their own events'),
  'repo.importAbandoned': omitted('nobody could see the repository that it removes'),
  'repo.transferred': ofRepository,
  'repo.forked': ofRepository,
  'repo.generated': ofRepository,
  'repo.renamed': ofRepository,
  'repo.updated': ofRepository,
  'repo.visibilityChanged': ofRepository,
  'repo.starred': ofRepository,
  'repo.unstarred': ofRepository,
  // Lists show watchers, but the time of a watch is private.
  'repo.watched': between('repository', 'userId'),
  'repo.unwatched': between('repository', 'userId'),
  'repo.transferOffered': { ...ofAdministrators, about: ['recipientId'] },
  'collaborator.added': { ...ofAdministrators, about: ['userId'] },
  'collaborator.changed': { ...ofAdministrators, about: ['userId'] },
  'collaborator.removed': { ...ofAdministrators, about: ['userId'] },
  'invitation.created': omitted('only those who may invite see invitations'),
  'invitation.revoked': omitted('only those who may invite see invitations'),
  'invitation.accepted': omitted('team.memberAdded and collaborator.added cover it'),
  'invitation.declined': omitted('only those who may invite see invitations'),
  'refs.updated': { scope: 'repository', readers: ({ data }) => unit(data.kind) },
  'branch.renamed': ofCode,
  'status.created': ofCode,
  'attachment.created': omitted('the event of the issue, comment or release covers the file'),
  'attachment.deleted': omitted('the event of the issue, comment or release covers the file'),
  'release.drafted': omitted('drafts are private'),
  'release.published': withReaders('repository', unit('releases')),
  'release.updated': {
    scope: 'repository',
    readers: ({ data }) => (data.isDraft || data.wasDraft ? undefined : unit('releases')),
  },
  'release.deleted': { scope: 'repository', readers: ({ data }) => (data.isDraft ? undefined : unit('releases')) },
  'wiki.pageCreated': ofWiki,
  'wiki.pageEdited': ofWiki,
  'wiki.pageDeleted': ofWiki,
  'package.created': ofPackages,
  'package.deleted': ofPackages,
  'run.queued': ofActions,
  'run.plannable': omitted('internal: it plans jobs'),
  'run.finished': ofActions,
  'run.deleted': omitted('internal: it removes unreferenced files'),
  'task.finished': omitted('run.finished covers it'),
  'user.created': ofAccount,
  'user.renamed': ofAccount,
  'user.edited': ofAccount,
  // The account no longer exists, so its visibility cannot be checked.
  'user.deleted': withReaders('admin', { of: 'administrators' }),
  'user.followed': between('user', 'userId', 'followerId'),
  'user.unfollowed': between('user', 'userId', 'followerId'),
  // Blocks are private. The blocked account must not learn of them.
  'user.blocked': between('user', 'blockerId'),
  'user.unblocked': between('user', 'blockerId'),
  'org.edited': withReaders('organization', { of: 'account', member: 'orgId' }),
  'team.created': ofMembers,
  'team.edited': ofMembers,
  'team.deleted': ofMembers,
  'team.memberAdded': { ...ofMembers, about: ['userId'] },
  'team.memberRemoved': { ...ofMembers, about: ['userId'] },
  'team.repoAdded': ofMembers,
  'team.repoRemoved': ofMembers,
  'access.reduced': omitted('the change that reduced the access has its own event'),
  'link.requested': omitted('internal: it sends a mail, and must not reveal the recipient'),
  'credential.changed': omitted('it concerns only its owner, who gets a mail'),
  'credential.ended': omitted('it concerns only its owner, who ended it'),
  'avatar.replaced': omitted('internal: it removes an unreferenced file'),
}

/** The kinds of events in the feed. */
export const feedKinds = (Object.keys(rules) as EventName[]).filter((name) => !('omitted' in rules[name]))

/** Returns the rule of an event. Undefined: the feed never contains the event. */
export function ruleOf(event: Event): Rule<EventName> | undefined {
  const rule = rules[event.name]
  return 'omitted' in rule ? undefined : rule
}

/** Returns the kinds in the feed that match one of the patterns. A pattern is a kind or a prefix such as `issue.*`. */
export const kindsOf = (words: readonly string[]): EventName[] =>
  feedKinds.filter((kind) =>
    words.some((word) => (word.endsWith('*') ? kind.startsWith(word.slice(0, -1)) : kind === word)),
  )

/** Returns the cursor of a position in the feed of an instance. Clients treat cursors as opaque. */
export const formatCursor = (instance: string, position: number): string => `${instance}.${position.toString(36)}`

/** Returns the instance and position of a cursor. Undefined: the text is not a cursor. */
export function parseCursor(text: string): { readonly instance: string; readonly position: number } | undefined {
  const parts = /^([0-9a-f]{16})\.([0-9a-z]{1,10})$/.exec(text)
  return parts ? { instance: parts[1] as string, position: Number.parseInt(parts[2] as string, 36) } : undefined
}
