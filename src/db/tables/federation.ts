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

/** Keys that local actors sign with, made when they are first needed. */
export interface ActorKeyTable {
  id: Generated<ActorKeyId>
  /** Whose it is, once more as a text, so that there is one of each: `instance`, or `user 7`. */
  actor: string
  /** Null for the instance. */
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
  /** Scheme, host name and port, if it is not the usual one: `https://forge.example`. */
  origin: string
  /** The name of its program, in lower case; empty until its node information was read. */
  software: Generated<string>
  /** The latest `startTime` of a like that came from it, in milliseconds. */
  latest_like_ms: Generated<number>
  /** The same of likes that were sent to it. */
  latest_sent_ms: Generated<number>
  /** The key of its own actor; null until a request was signed with it. */
  key_id: string | null
  public_key: Generated<string>
  /** When the key was last asked for. */
  key_fetched_unix: Generated<Unix>
  /** How it wants requests to be signed. */
  signature_form: Generated<'cavage' | 'rfc9421'>
  /** How often in a row it was not to be reached. */
  failures: Generated<number>
  /** Nothing is sent before this time; 0 when it was well. */
  retry_at_ms: Generated<number>
  /** Why nothing goes out; empty when it was well. */
  problem: Generated<string>
  created_unix: Unix
}

/** What makes an account one of another server. */
export interface FederatedAccountTable {
  user_id: UserId
  server_id: ServerId
  /** The id of the actor, which is an address. */
  actor_url: string
  inbox_url: string
  /** One inbox for all of its server; empty when there is none. */
  shared_inbox_url: string
  /** The page of the account. */
  page_url: string
  key_id: string
  public_key: string
  /** When actor and key were last asked for. */
  fetched_unix: Unix
}

/** Signatures of requests that changed something: a second request with the same is a replay. */
export interface SeenSignatureTable {
  digest: string
  /** A request of then is too old anyway. */
  expires_unix: Unix
}

/** Follows of accounts elsewhere by local people, beside the row in `follow`. */
export interface FederatedFollowTable {
  follower_id: UserId
  user_id: UserId
  /** The id of the activity that asked for it. */
  activity_url: string
  is_accepted: boolean
}

/** Repositories elsewhere that are told when somebody stars one here. */
export interface FollowedRepoTable {
  id: Generated<FollowedRepoId>
  repo_id: RepoId
  server_id: ServerId
  /** The id of the actor of the repository. */
  url: string
  inbox_url: string
  created_unix: Unix
}

/** Activities that are to be sent. Those that arrived are deleted. */
export interface ActivityDeliveryTable {
  id: Generated<ActivityDeliveryId>
  server_id: ServerId
  inbox_url: string
  /** Who signs; null for the instance. */
  sender_id: UserId | null
  body: string
  created_ms: number
  /** How often it was refused in a way that may pass. */
  attempts: Generated<number>
  /** It is not sent before this time. */
  next_ms: Generated<number>
}

/** What came from people elsewhere, for the feeds of those who follow them. */
export interface ReceivedActivityTable {
  id: Generated<ReceivedActivityId>
  actor_id: UserId
  activity_url: string
  type: string
  /** The person it was for; null when it was for everybody, or for all followers. */
  addressee_id: UserId | null
  object_url: string
  object_type: string
  /** Plain text. */
  title: string
  /** Clean HTML. */
  content: string
  /** Where people read it; empty when nothing was said. */
  page_url: string
  published_unix: Unix
  received_unix: Unix
}

/** Acts that were told to followers elsewhere. */
export interface ToldActTable {
  activity_id: number
  told_unix: Unix
}

/** Issues and comments that came from elsewhere, by the address that they have there. */
export interface FederatedWritingTable {
  object_url: string
  actor_id: UserId
  issue_id: IssueId
  /** Null for the issue itself. */
  comment_id: CommentId | null
}

/** Issues that people here opened in repositories of other servers. */
export interface SentWritingTable {
  id: Generated<SentWritingId>
  user_id: UserId
  /** The address that it has here. */
  object_url: string
  repository_url: string
  title: string
  /** Where it is there; empty until the other side took it. */
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
  told_act: ToldActTable
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
