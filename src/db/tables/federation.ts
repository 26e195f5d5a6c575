import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type {
  ActorKeyId,
  ActivityDeliveryId,
  CommentId,
  FollowedRepoId,
  IssueId,
  ReceivedActivityId,
  RepoId,
  SentWritingId,
  ServerId,
  UserId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Signing keys of local actors, created on first use. */
export interface ActorKeyTable {
  id: Generated<ActorKeyId>
  /** The owner as text, for the unique index: `instance`, or for example `user 7`. */
  actor: string
  /** Null for the instance actor. */
  user_id: UserId | null
  /** SPKI as PEM. */
  public_key: string
  /** PKCS #8 as PEM, sealed for `actor-key`. */
  sealed_private_key: string
  created_unix: Unix
}

/** Other servers. */
export interface FederatedServerTable {
  id: Generated<ServerId>
  /** Scheme, host name and non-default port: `https://forge.example`. */
  origin: string
  /** The software name from the server's node information, lower case; empty until it was read. */
  software: Generated<string>
  /** The latest `startTime` of a like received from the server, in milliseconds. */
  latest_like_ms: Generated<number>
  /** The latest `startTime` of a like sent to the server, in milliseconds. */
  latest_sent_ms: Generated<number>
  /** The key of the server's instance actor; null until it signed a request. */
  key_id: string | null
  public_key: Generated<string>
  /** When the key was last fetched. */
  key_fetched_unix: Generated<Unix>
  /** The form of HTTP signatures that the server accepts. */
  signature_form: Generated<'cavage' | 'rfc9421'>
  /** Consecutive failed deliveries. */
  failures: Generated<number>
  /** The end of the back-off; 0 when the last delivery succeeded. */
  retry_at_ms: Generated<number>
  /** The reason of the back-off; empty when the last delivery succeeded. */
  problem: Generated<string>
  created_unix: Unix
}

/** The remote actor of an account of another server. */
export interface FederatedAccountTable {
  user_id: UserId
  server_id: ServerId
  /** The id of the actor, a URL. */
  actor_url: string
  inbox_url: string
  /** The inbox shared by all accounts of the server; empty without one. */
  shared_inbox_url: string
  /** The profile page of the account. */
  page_url: string
  key_id: string
  public_key: string
  /** When actor and key were last fetched. */
  fetched_unix: Unix
}

/** Signatures of requests that changed something. A second request with the same signature is a replay. */
export interface SeenSignatureTable {
  digest: string
  /** When a request with this signature is too old to be accepted. */
  expires_unix: Unix
}

/** Follows of remote accounts by local accounts, in addition to the row in `follow`. */
export interface FederatedFollowTable {
  follower_id: UserId
  user_id: UserId
  /** The id of the `Follow` activity. */
  activity_url: string
  is_accepted: boolean
}

/** Remote repositories that receive a like when somebody stars a local repository. */
export interface FollowedRepoTable {
  id: Generated<FollowedRepoId>
  repo_id: RepoId
  server_id: ServerId
  /** The id of the repository actor. */
  url: string
  inbox_url: string
  created_unix: Unix
}

/** The outbox of activities. A delivered activity is deleted. */
export interface ActivityDeliveryTable {
  id: Generated<ActivityDeliveryId>
  server_id: ServerId
  inbox_url: string
  /** The local account that signs; null for the instance actor. */
  sender_id: UserId | null
  body: string
  created_ms: number
  /** Failed attempts that are worth a retry. */
  attempts: Generated<number>
  /** When the next attempt is due. */
  next_ms: Generated<number>
}

/** Activities of remote accounts, for the feeds of their local followers. */
export interface ReceivedActivityTable {
  id: Generated<ReceivedActivityId>
  actor_id: UserId
  activity_url: string
  type: string
  /** The addressed person; null for public activities and activities to all followers. */
  addressee_id: UserId | null
  object_url: string
  object_type: string
  /** Plain text. */
  title: string
  /** Clean HTML. */
  content: string
  /** The page of the object; empty when the activity names none. */
  page_url: string
  published_unix: Unix
  received_unix: Unix
}

/** Local activities that were published to remote followers. */
export interface PublishedActTable {
  activity_id: number
  told_unix: Unix
}

/** Issues and comments of remote authors, by their remote id. */
export interface FederatedWritingTable {
  object_url: string
  actor_id: UserId
  issue_id: IssueId
  /** Null for the issue itself. */
  comment_id: CommentId | null
}

/** Issues that local accounts opened in remote repositories. */
export interface SentWritingTable {
  id: Generated<SentWritingId>
  user_id: UserId
  /** The local id. */
  object_url: string
  repository_url: string
  title: string
  /** The URL of the issue on the other server; empty until the server accepts it. */
  result_url: Generated<string>
  created_unix: Unix
}

export interface FederationTables {
  actor_key: ActorKeyTable
  federated_server: FederatedServerTable
  federated_account: FederatedAccountTable
  seen_signature: SeenSignatureTable
  federated_follow: FederatedFollowTable
  followed_repo: FollowedRepoTable
  activity_delivery: ActivityDeliveryTable
  received_activity: ReceivedActivityTable
  told_act: PublishedActTable
  federated_writing: FederatedWritingTable
  sent_writing: SentWritingTable
}

export type ActorKeyRow = Selectable<ActorKeyTable>
export type FederatedServerRow = Selectable<FederatedServerTable>
export type FederatedServerChange = Updateable<FederatedServerTable>
export type FederatedAccountRow = Selectable<FederatedAccountTable>
export type NewFederatedAccountRow = Insertable<FederatedAccountTable>
export type FollowedRepoRow = Selectable<FollowedRepoTable>
export type ActivityDeliveryRow = Selectable<ActivityDeliveryTable>
export type NewActivityDeliveryRow = Insertable<ActivityDeliveryTable>
export type ReceivedActivityRow = Selectable<ReceivedActivityTable>
export type NewReceivedActivityRow = Insertable<ReceivedActivityTable>
export type FederatedWritingRow = Selectable<FederatedWritingTable>
export type SentWritingRow = Selectable<SentWritingTable>
