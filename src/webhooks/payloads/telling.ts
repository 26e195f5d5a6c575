import type { Event, EventName } from '../../events/catalogue.ts'
import type {
  CommentId,
  IssueId,
  PackageVersionId,
  ReleaseId,
  RepoId,
  ReviewId,
  RunId,
  TeamId,
  UserId,
} from '../../lib/ids.ts'
import type { HookEvent } from '../hook.rules.ts'
import type { PayloadKit } from './payload-kit.present.ts'

/** What has still to be read from git, which no transaction waits for. */
export interface PendingPush {
  readonly repoId: RepoId
  readonly gitKey: string
  readonly ref: string
  readonly old: string
  readonly new: string
  /** Of a new branch: where the default branch was, whose commits are not told again. */
  readonly base?: string
  readonly defaultBranch: string
  /** Address of the repository's page. */
  readonly webUrl: string
}

export interface MadePayload {
  readonly data: object
  readonly pending?: PendingPush
}

/** Rows that a payload is made of; they are loaded for all payloads of a transaction at once. */
export interface Needs {
  readonly issueIds?: readonly IssueId[]
  readonly commentIds?: readonly CommentId[]
  readonly userIds?: readonly UserId[]
  readonly repoIds?: readonly RepoId[]
  readonly teamIds?: readonly TeamId[]
  readonly releaseIds?: readonly ReleaseId[]
  readonly versionIds?: readonly PackageVersionId[]
  readonly reviewIds?: readonly ReviewId[]
  readonly runIds?: readonly RunId[]
}

/** One thing that webhooks are told of an event: an event may be several. */
export interface Telling {
  /** The event by the name of its family, as most receivers look at it. */
  readonly event: string
  /** The event as webhooks choose it. */
  readonly eventType: HookEvent
  /** Whose webhooks get it: those of the repository and of its owner, or of an owner alone; those of the instance always. */
  readonly to: { readonly repoId: RepoId } | { readonly ownerOf: RepoId } | { readonly ownerId: UserId }
  /** What a branch filter is about. */
  readonly ref?: string
  readonly needs: Needs
  /** undefined: when all is seen there is nothing to tell. */
  make(kit: PayloadKit): Promise<MadePayload | undefined> | MadePayload | undefined
  /** What is told in its place, when that is known only once all is read: each of it goes to the same webhooks. */
  readonly each?: (kit: PayloadKit) => readonly Telling[]
  /** The payload for receivers of Gitea's type, where it is another. */
  readonly forGitea?: (data: object) => object
}

/** What is told of each kind of event. */
export type Tellings = { readonly [Name in EventName]?: (event: Event<Name>) => readonly Telling[] }
