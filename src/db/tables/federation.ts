import type { Insertable, Selectable, Updateable } from 'kysely'
import type {
  ActivityDeliveryId,
  ActorKeyId,
  CommentId,
  FollowedRepoId,
  IssueId,
  ReceivedActivityId,
  RepoId,
  SentWritingId,
  ServerId,
  UserId,
} from '../../lib/ids.ts'
import {
  bigint,
  flag,
  id,
  integer,
  nullable,
  primaryKey,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'

export const federationTables = {
  /** Signing keys of local actors, created on first use. */
  actor_key: table(
    {
      id: id<ActorKeyId>(),
      /** The owner as text, for the unique index: `instance`, or for example `user 7`. */
      actor: unique(text()),
      /** Null for the instance actor. */
      user_id: nullable(ref<UserId>('user', 'cascade')),
      /** SPKI as PEM. */
      public_key: text(),
      /** PKCS #8 as PEM, sealed for `actor-key`. */
      sealed_private_key: text(),
      created_unix: unix(),
    },
    { indexes: { actor_key_user: '(user_id)' } },
  ),

  /** Other servers. */
  federated_server: table({
    id: id<ServerId>(),
    /** Scheme, host name and non-default port: `https://forge.example`. */
    origin: unique(text()),
    /** The software name from the server's node information, lower case; empty until it was read. */
    software: text(''),
    /** The latest `startTime` of a like received from the server, in milliseconds. */
    latest_like_ms: bigint(0),
    /** The key of the server's instance actor; null until it signed a request. */
    key_id: unique(nullable(text())),
    public_key: text(''),
    /** When the key was last fetched. */
    key_fetched_unix: unix(0),
    /** The form of HTTP signatures that the server accepts. */
    signature_form: text<'cavage' | 'rfc9421'>('cavage'),
    /** Consecutive failed deliveries. */
    failures: integer(0),
    /** The end of the back-off; 0 when the last delivery succeeded. */
    retry_at_ms: bigint(0),
    /** The reason of the back-off; empty when the last delivery succeeded. */
    problem: text(''),
    created_unix: unix(),
    /** The latest `startTime` of a like sent to the server, in milliseconds. */
    latest_sent_ms: bigint(0),
  }),

  /** The remote actor of an account of another server. */
  federated_account: table(
    {
      user_id: primaryKey(ref<UserId>('user', 'cascade')),
      server_id: ref<ServerId>('federated_server'),
      /** The id of the actor, a URL. */
      actor_url: unique(text()),
      inbox_url: text(),
      /** The inbox shared by all accounts of the server; empty without one. */
      shared_inbox_url: text(),
      /** The profile page of the account. */
      page_url: text(),
      key_id: unique(text()),
      public_key: text(),
      /** When actor and key were last fetched. */
      fetched_unix: unix(),
    },
    { indexes: { federated_account_server: '(server_id)' } },
  ),

  /** Signatures of requests that changed something. A second request with the same signature is a replay. */
  seen_signature: table(
    {
      digest: primaryKey(text()),
      /** When a request with this signature is too old to be accepted. */
      expires_unix: unix(),
    },
    { indexes: { seen_signature_age: '(expires_unix)' } },
  ),

  /** Follows of remote accounts by local accounts, in addition to the row in `follow`. */
  federated_follow: table(
    {
      follower_id: ref<UserId>('user', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      /** The id of the `Follow` activity. */
      activity_url: text(),
      is_accepted: flag(),
    },
    { primaryKey: ['follower_id', 'user_id'], indexes: { federated_follow_user: '(user_id)' } },
  ),

  /** Remote repositories that receive a like when somebody stars a local repository. */
  followed_repo: table(
    {
      id: id<FollowedRepoId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      server_id: ref<ServerId>('federated_server'),
      /** The id of the repository actor. */
      url: text(),
      inbox_url: text(),
      created_unix: unix(),
    },
    { unique: [['repo_id', 'url']], indexes: { followed_repo_server: '(server_id)' } },
  ),

  /** The outbox of activities. A delivered activity is deleted. */
  activity_delivery: table(
    {
      id: id<ActivityDeliveryId>(),
      server_id: ref<ServerId>('federated_server', 'cascade'),
      inbox_url: text(),
      /** The local account that signs; null for the instance actor. */
      sender_id: nullable(ref<UserId>('user', 'cascade')),
      body: text(),
      created_ms: bigint(),
      /** Failed attempts that are worth a retry. */
      attempts: integer(0),
      /** When the next attempt is due. */
      next_ms: bigint(0),
    },
    { indexes: { activity_delivery_line: '(server_id, id)', activity_delivery_sender: '(sender_id)' } },
  ),

  /** Activities of remote accounts, for the feeds of their local followers. */
  received_activity: table(
    {
      id: id<ReceivedActivityId>(),
      actor_id: ref<UserId>('user', 'cascade'),
      activity_url: text(),
      type: text(),
      /** The addressed person; null for public activities and activities to all followers. */
      addressee_id: nullable(ref<UserId>('user', 'cascade')),
      object_url: text(),
      object_type: text(),
      /** Plain text. */
      title: text(),
      /** Clean HTML. */
      content: text(),
      /** The page of the object; empty when the activity names none. */
      page_url: text(),
      published_unix: unix(),
      received_unix: unix(),
    },
    {
      unique: [['actor_id', 'activity_url']],
      indexes: {
        received_activity_actor: '(actor_id, id)',
        received_activity_addressee: '(addressee_id, id) where addressee_id is not null',
        received_activity_age: '(received_unix)',
      },
    },
  ),

  /** Local activities that were published to remote followers. */
  told_act: table({
    activity_id: primaryKey(ref<number>('activity', 'cascade')),
    told_unix: unix(),
  }),

  /** Issues and comments of remote authors, by their remote id. */
  federated_writing: table(
    {
      object_url: primaryKey(text()),
      actor_id: ref<UserId>('user', 'cascade'),
      issue_id: ref<IssueId>('issue', 'cascade'),
      /** Null for the issue itself. */
      comment_id: nullable(ref<CommentId>('comment', 'cascade')),
    },
    {
      indexes: {
        federated_writing_issue: '(issue_id)',
        federated_writing_comment: '(comment_id)',
        federated_writing_actor: '(actor_id)',
      },
    },
  ),

  /** Issues that local accounts opened in remote repositories. */
  sent_writing: table(
    {
      id: id<SentWritingId>(),
      user_id: ref<UserId>('user', 'cascade'),
      /** The local id. */
      object_url: unique(text()),
      repository_url: text(),
      title: text(),
      /** The URL of the issue on the other server; empty until the server accepts it. */
      result_url: text(''),
      created_unix: unix(),
    },
    { indexes: { sent_writing_user: '(user_id, id)' } },
  ),
}

export type FederationTables = TablesOf<typeof federationTables>
export type FederatedFollowTable = FederationTables['federated_follow']
export type ActorKeyRow = Selectable<FederationTables['actor_key']>
export type FederatedServerRow = Selectable<FederationTables['federated_server']>
export type FederatedServerChange = Updateable<FederationTables['federated_server']>
export type FederatedAccountRow = Selectable<FederationTables['federated_account']>
export type NewFederatedAccountRow = Insertable<FederationTables['federated_account']>
export type FollowedRepoRow = Selectable<FederationTables['followed_repo']>
export type ActivityDeliveryRow = Selectable<FederationTables['activity_delivery']>
export type NewActivityDeliveryRow = Insertable<FederationTables['activity_delivery']>
export type ReceivedActivityRow = Selectable<FederationTables['received_activity']>
export type NewReceivedActivityRow = Insertable<FederationTables['received_activity']>
export type FederatedWritingRow = Selectable<FederationTables['federated_writing']>
export type SentWritingRow = Selectable<FederationTables['sent_writing']>
