import type { Event, EventName } from '../events/catalogue.ts'
import type { Scope } from '../http/operation.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'

/**
 * Who may read an entry: whoever reads a unit of its repository, sees something of it, or administers it; is a member of an
 * organization; sees an account; is the owner, or one of the owners of an organization; administers the instance; or nobody but whom it is about.
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
  /** What a token must grant for reading, beside the access of its account. */
  readonly scope: Scope
  /** undefined: nobody. */
  readers(event: Event<Name>): Readers | undefined
  /** The accounts that may read it as well, since it is about them. */
  readonly about?: readonly Concerned[]
}

/** Members of events that name an account which it is about. */
type Concerned = 'userId' | 'recipientId' | 'followerId' | 'blockerId'

/** A kind of event that the feed tells nobody of, and why not. */
interface Untold {
  readonly untold: string
}

/** Every kind of event is here: who adds one says who may read it, or why nobody is told. */
type Rules = { readonly [Name in EventName]: Rule<Name> | Untold }

const unit = (name: RepoUnit): Readers => ({ of: 'unit', unit: name })
const told = (scope: Scope, readers: Readers) => ({ scope, readers: (): Readers => readers })

const ofTracker = {
  scope: 'issue',
  readers: ({ data }: { readonly data: { readonly isPull: boolean } }): Readers =>
    unit(data.isPull ? 'pulls' : 'issues'),
} as const
const ofPulls = told('repository', unit('pulls'))
const ofRepository = told('repository', { of: 'repository' })
const ofCode = told('repository', unit('code'))
const ofWiki = told('repository', unit('wiki'))
const ofAdministrators = told('repository', { of: 'administration' })
const ofMembers = told('organization', { of: 'members' })
const ofAccount = told('user', { of: 'account', member: 'userId' })
const ofActions = told('repository', unit('actions'))
const ofPackages = told('package', { of: 'account', member: 'ownerId' })
const between = (scope: Scope, ...about: readonly Concerned[]) => ({ ...told(scope, { of: 'nobody else' }), about })
const untold = (reason: string): Untold => ({ untold: reason })

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
  'pull.opened': ofPulls,
  'pull.merged': ofPulls,
  'pull.synchronized': ofPulls,
  'pull.retargeted': ofPulls,
  'pull.readied': ofPulls,
  'pull.mergeScheduled': ofPulls,
  'review.submitted': ofPulls,
  'review.requested': ofPulls,
  'review.dismissed': ofPulls,
  'review.deleted': ofPulls,
  'repo.created': ofRepository,
  // Nothing is left to ask the access of; others find it gone.
  'repo.deleted': told('repository', { of: 'owners' }),
  'mirror.synced': untold('what came of it is told'),
  'repo.importAbandoned': untold('nobody saw what it removes'),
  'repo.transferred': ofRepository,
  'repo.forked': ofRepository,
  'repo.generated': ofRepository,
  'repo.renamed': ofRepository,
  'repo.updated': ofRepository,
  'repo.visibilityChanged': ofRepository,
  'repo.starred': ofRepository,
  'repo.unstarred': ofRepository,
  // Lists show the watchers, but the times of watches are private.
  'repo.watched': between('repository', 'userId'),
  'repo.unwatched': between('repository', 'userId'),
  'repo.transferOffered': { ...ofAdministrators, about: ['recipientId'] },
  'collaborator.added': { ...ofAdministrators, about: ['userId'] },
  'collaborator.changed': { ...ofAdministrators, about: ['userId'] },
  'collaborator.removed': { ...ofAdministrators, about: ['userId'] },
  'refs.updated': { scope: 'repository', readers: ({ data }) => unit(data.kind) },
  'branch.renamed': ofCode,
  'status.created': ofCode,
  'attachment.created': untold('a file is told with what it belongs to'),
  'attachment.deleted': untold('a file is told with what it belongs to'),
  'release.drafted': untold("drafts are nobody else's business"),
  'release.published': told('repository', unit('releases')),
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
  'run.finished': ofActions,
  'run.deleted': untold('it has files removed that nobody names any more'),
  'task.finished': untold('a run is told when it ends'),
  'user.created': ofAccount,
  'user.renamed': ofAccount,
  'user.edited': ofAccount,
  // The account and everybody who could see it are gone.
  'user.deleted': told('admin', { of: 'administrators' }),
  'user.followed': between('user', 'userId', 'followerId'),
  'user.unfollowed': between('user', 'userId', 'followerId'),
  // Blocks are private, above all towards the blocked account.
  'user.blocked': between('user', 'blockerId'),
  'user.unblocked': between('user', 'blockerId'),
  'org.edited': told('organization', { of: 'account', member: 'orgId' }),
  'team.created': ofMembers,
  'team.edited': ofMembers,
  'team.deleted': ofMembers,
  'team.memberAdded': { ...ofMembers, about: ['userId'] },
  'team.memberRemoved': { ...ofMembers, about: ['userId'] },
  'team.repoAdded': ofMembers,
  'team.repoRemoved': ofMembers,
  'access.reduced': untold('what it follows from is told'),
  'link.requested': untold("it has a mail sent, and whether to somebody is nobody's matter"),
  'credential.changed': untold('its owner is told by mail, and it is the matter of nobody else'),
  'credential.ended': untold('it concerns only its owner, who ended it'),
  'avatar.replaced': untold('it has a file removed that nobody names any more'),
}

/** The kinds of events in the feed. */
export const toldKinds = (Object.keys(rules) as EventName[]).filter((name) => !('untold' in rules[name]))

/** Returns the rule of an event; undefined: the feed never contains it. */
export function ruleOf(event: Event): Rule<EventName> | undefined {
  const rule = rules[event.name]
  return 'untold' in rule ? undefined : rule
}

/** The kinds that words name, `issue.*` standing for all that begin so; those that are not told are none. */
export const kindsOf = (words: readonly string[]): EventName[] =>
  toldKinds.filter((kind) =>
    words.some((word) => (word.endsWith('*') ? kind.startsWith(word.slice(0, -1)) : kind === word)),
  )

/** A place in the feed of one instance, as clients keep it; what is in it is nobody's business but ours. */
export const formatCursor = (instance: string, position: number): string => `${instance}.${position.toString(36)}`

/** The instance and the position of a cursor; undefined for what is none. */
export function parseCursor(text: string): { readonly instance: string; readonly position: number } | undefined {
  const parts = /^([0-9a-f]{16})\.([0-9a-z]{1,10})$/.exec(text)
  return parts ? { instance: parts[1] as string, position: Number.parseInt(parts[2] as string, 36) } : undefined
}
