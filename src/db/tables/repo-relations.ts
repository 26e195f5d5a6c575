import type { Generated, Selectable } from 'kysely'
import type { DeployKeyId, KeyId, RepoId, TopicId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A pending transfer. `repo.has_transfer` is true while the row exists. */
export interface RepoTransferTable {
  repo_id: RepoId
  doer_id: UserId
  recipient_id: UserId
  /** JSON list of the ids of the teams that get access to the repository. */
  team_ids: string
  created_unix: Unix
}

/** Topic names. `repo.topics` holds the ordered topics of a repository; `repo_topic` serves searches. */
export interface TopicTable {
  id: Generated<TopicId>
  name: string
  created_unix: Unix
  updated_unix: Unix
  /**
   * The number of repositories with the topic, of this audience or a smaller one (`repo.audience`). A trigger sets it.
   */
  num_seen_0: Generated<number>
  num_seen_1: Generated<number>
  num_seen_2: Generated<number>
  num_seen_3: Generated<number>
}

export interface RepoTopicTable {
  repo_id: RepoId
  topic_id: TopicId
}

/** Flags that administrators set on repositories. */
export interface RepoFlagTable {
  repo_id: RepoId
  name: string
}

/** Deploy keys. Each gives an SSH key access to one repository. */
export interface DeployKeyTable {
  id: Generated<DeployKeyId>
  repo_id: RepoId
  key_id: KeyId
  title: string
  is_read_only: boolean
  created_unix: Unix
}

export interface RepoRelationTables {
  repo_transfer: RepoTransferTable
  topic: TopicTable
  repo_topic: RepoTopicTable
  repo_flag: RepoFlagTable
  deploy_key: DeployKeyTable
}

export type RepoTransferRow = Selectable<RepoTransferTable>
export type TopicRow = Selectable<TopicTable>
