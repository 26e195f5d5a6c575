import type { Event, EventName } from '../events/catalogue.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import type { NeededRows } from './needed-rows.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { PayloadPresenter } from './payload.present.ts'

/** A push whose commits are read from git after the transaction. */
export interface PendingPush {
  readonly repoId: RepoId
  readonly gitKey: string
  readonly ref: string
  readonly old: string
  readonly new: string
  /** For a new branch: the head of the default branch, whose commits are left out. */
  readonly base?: string
  readonly defaultBranch: string
  /** URL of the repository's page. */
  readonly webUrl: string
}

export interface BuiltPayload {
  readonly data: object
  readonly pending?: PendingPush
}

/** One payload of an event; an event may have several. */
export interface EventPayload {
  /** The name of the event's group, which the header `X-…-Event` carries. */
  readonly event: string
  /** The event as webhooks select it. */
  readonly eventType: WebhookEvent
  /** Whose webhooks get it: a repository's and its owner's, or an owner's only; those of the instance get each payload. */
  readonly to: { readonly repoId: RepoId } | { readonly ownerOf: RepoId } | { readonly ownerId: UserId }
  /** The reference that a branch filter tests. */
  readonly ref?: string
  readonly needs: NeededRows
  /** Returns undefined when the rows show that there is nothing to send. */
  build(presenter: PayloadPresenter): Promise<BuiltPayload | undefined> | BuiltPayload | undefined
  /** Returns the payloads that replace this one, when only the loaded rows tell them. */
  readonly expand?: (presenter: PayloadPresenter) => readonly EventPayload[]
  /** Changes the payload for webhooks of the type `gitea`. */
  readonly forGitea?: (data: object) => object
}

/** The payloads of each kind of event. */
export type EventPayloads = { readonly [Name in EventName]?: (event: Event<Name>) => readonly EventPayload[] }
