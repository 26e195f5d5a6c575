import type { Event, EventName } from '../events/catalogue.ts'
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
} from '../lib/ids.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { PayloadPresenter } from './payload.present.ts'

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

export interface BuiltPayload {
  readonly data: object
  readonly pending?: PendingPush
}

/** Rows that a payload is made of; they are loaded for all payloads of a transaction at once. */
export interface NeededRows {
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
export interface EventPayload {
  /** The event by the name of its family, as most receivers look at it. */
  readonly event: string
  /** The event as webhooks choose it. */
  readonly eventType: WebhookEvent
  /** Whose webhooks get it: those of the repository and of its owner, or of an owner alone; those of the instance always. */
  readonly to: { readonly repoId: RepoId } | { readonly ownerOf: RepoId } | { readonly ownerId: UserId }
  /** What a branch filter is about. */
  readonly ref?: string
  readonly needs: NeededRows
  /** undefined: when all is seen there is nothing to tell. */
  build(kit: PayloadPresenter): Promise<BuiltPayload | undefined> | BuiltPayload | undefined
  /** What is told in its place, when that is known only once all is read: each of it goes to the same webhooks. */
  readonly expand?: (kit: PayloadPresenter) => readonly EventPayload[]
  /** The payload for receivers of Gitea's type, where it is another. */
  readonly forGitea?: (data: object) => object
}

/** What is told of each kind of event. */
export type EventPayloads = { readonly [Name in EventName]?: (event: Event<Name>) => readonly EventPayload[] }
