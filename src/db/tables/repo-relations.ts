import type { Generated, Selectable } from 'kysely'
import type { DeployKeyId, KeyId, RepoId, TopicId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A transfer that waits for its recipient; `repo.has_transfer` is true as long as there is one. */
export interface RepoTransferTable {
  repo_id: RepoId
  doer_id: UserId
  recipient_id: UserId
  /** JSON list of the ids of teams that get the repository with it. */
  team_ids: string
  created_unix: Unix
}

/** Names of topics; `repo.topics` holds those of a repository in their order, `repo_topic` the same for searching. */
export interface TopicTable {
  id: Generated<TopicId>
  name: string
  created_unix: Unix
  updated_unix: Unix
  /** On how many repositories of this audience or a smaller one it stands (`repo.audience`); the database keeps it. */
  num_seen_0: Generated<number>
  num_seen_1: Generated<number>
  num_seen_2: Generated<number>
  num_seen_3: Generated<number>
}

export interface RepoTopicTable {
  repo_id: RepoId
  topic_id: TopicId
}

/** Marks that administrators put on repositories. */
export interface RepoFlagTable {
  repo_id: RepoId
  name: string
}

/** Gives an SSH key access to one repository. */
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
export type DeployKeyRow = Selectable<DeployKeyTable>
