import type { Selectable } from 'kysely'
import type { DeployKeyId, KeyId, RepoId, TopicId, UserId } from '../../lib/ids.ts'
import { flag, given, id, integer, primaryKey, ref, table, text, unique, unix, type TablesOf } from '../table.ts'

export const repoRelationTables = {
  /** A pending transfer. `repo.has_transfer` is true while the row exists. */
  repo_transfer: table(
    {
      repo_id: primaryKey(ref<RepoId>('repo', 'cascade')),
      doer_id: ref<UserId>('user', 'cascade'),
      recipient_id: ref<UserId>('user', 'cascade'),
      /** JSON list of the ids of the teams that get access to the repository. */
      team_ids: given(text('[]')),
      created_unix: unix(),
    },
    { indexes: { repo_transfer_recipient: '(recipient_id)', repo_transfer_doer: '(doer_id)' } },
  ),

  /** Topic names. `repo.topics` holds the ordered topics of a repository; `repo_topic` serves searches. */
  topic: table(
    {
      id: id<TopicId>(),
      name: unique(text()),
      created_unix: unix(),
      updated_unix: unix(),
      /**
       * The number of repositories with the topic, of this audience or a smaller one (`repo.audience`). A trigger sets it.
       */
      num_seen_0: integer(0),
      num_seen_1: integer(0),
      num_seen_2: integer(0),
      num_seen_3: integer(0),
    },
    {
      indexes: {
        topic_order_0: '(num_seen_0 desc, name, id)',
        topic_order_1: '(num_seen_1 desc, name, id)',
        topic_order_3: '(num_seen_3 desc, name, id)',
      },
    },
  ),

  repo_topic: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      topic_id: ref<TopicId>('topic', 'cascade'),
    },
    { primaryKey: ['repo_id', 'topic_id'], indexes: { repo_topic_topic: '(topic_id)' } },
  ),

  /** Flags that administrators set on repositories. */
  repo_flag: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      name: text(),
    },
    { primaryKey: ['repo_id', 'name'] },
  ),

  /** Deploy keys. Each gives an SSH key access to one repository. */
  deploy_key: table(
    {
      id: id<DeployKeyId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      key_id: ref<KeyId>('public_key', 'cascade'),
      title: text(),
      is_read_only: given(flag(true)),
      created_unix: unix(),
    },
    {
      unique: [
        ['repo_id', 'key_id'],
        ['repo_id', 'title'],
      ],
      indexes: { deploy_key_key: '(key_id)' },
    },
  ),
}

export type RepoRelationTables = TablesOf<typeof repoRelationTables>
export type RepoTransferRow = Selectable<RepoRelationTables['repo_transfer']>
export type TopicRow = Selectable<RepoRelationTables['topic']>
