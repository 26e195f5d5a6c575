import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type { GitKey, Oid, RepoId, StatusId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import type { AccessMode } from './accounts.ts'

export interface RepoTable {
  id: Generated<RepoId>
  owner_id: UserId
  name: string
  lower_name: string
  /** The location of the git repository. Renames and transfers do not change it. */
  git_key: GitKey
  /** The location of the wiki's git repository; null until the wiki has a page. */
  wiki_git_key: GitKey | null
  description: string
  website: string
  default_branch: string
  wiki_branch: Generated<string>
  object_format: 'sha1' | 'sha256'
  is_private: boolean
  /** True until a branch exists. */
  is_empty: boolean
  is_archived: Generated<boolean>
  archived_unix: Generated<Unix>
  is_template: Generated<boolean>
  is_mirror: Generated<boolean>
  /** True while a transfer is pending (`repo_transfer`). */
  has_transfer: Generated<boolean>
  is_fork: Generated<boolean>
  fork_id: RepoId | null
  template_id: RepoId | null
  original_url: Generated<string>
  trust_model: Generated<string>
  /** JSON list of topic names. */
  topics: Generated<string>
  avatar_key: Generated<string>
  primary_language: Generated<string>
  git_size_bytes: Generated<number>
  lfs_size_bytes: Generated<number>
  num_stars: Generated<number>
  num_watches: Generated<number>
  num_forks: Generated<number>
  num_issues: Generated<number>
  num_closed_issues: Generated<number>
  num_pulls: Generated<number>
  num_closed_pulls: Generated<number>
  num_releases: Generated<number>
  /** The last number of an issue or pull request. */
  last_index: Generated<number>
  created_unix: Unix
  updated_unix: Unix
  /** The commit of the default branch whose languages were counted; '' for none. */
  languages_commit: Generated<string>
  /**
   * Who can read the repository without a grant: 0 everyone, 1 signed-in accounts, 2 members of the owner, 3 and 4 only
   * people with a grant; 4 when the owner is a reserved account. A trigger sets it.
   */
  audience: GeneratedAlways<number>
  /** The owner's name, for ordering. A trigger sets it. */
  owner_lower_name: GeneratedAlways<string>
}

export const repoUnits = [
  'code',
  'issues',
  'pulls',
  'releases',
  'wiki',
  'projects',
  'packages',
  'actions',
  'ext_issues',
  'ext_wiki',
] as const
export type RepoUnit = (typeof repoUnits)[number]

/** An enabled unit and its settings. */
export interface RepoUnitTable {
  repo_id: RepoId
  unit: RepoUnit
  /** JSON object; its members depend on the unit. */
  config: string
  /**
   * The access of every signed-in account to the unit of a public repository, beyond reading (a wiki that everyone may
   * edit).
   */
  default_access: Generated<AccessMode>
}

export interface RepoRedirectTable {
  owner_id: UserId
  lower_name: string
  repo_id: RepoId
}

export interface CollaborationTable {
  repo_id: RepoId
  user_id: UserId
  access_mode: AccessMode
  created_unix: Unix
  /** The repository's audience. A trigger sets it. */
  audience: GeneratedAlways<number>
}

/** Branches in git, and tombstones of deleted ones. `ingot doctor --fix` rebuilds the table from git. */
export interface BranchTable {
  repo_id: RepoId
  name: string
  commit_oid: Oid
  /** The committer time of the head. */
  commit_unix: Unix
  pusher_id: UserId | null
  updated_unix: Unix
  /** Tombstones are kept for a while, so that an older change that is recorded late cannot restore the branch. */
  is_deleted: Generated<boolean>
  /** The last recorded ref change (`ref_journal`). Older changes are ignored. */
  journal_id: Generated<number>
}

/** Tags in git, and tombstones of deleted ones. */
export interface TagTable {
  repo_id: RepoId
  name: string
  /** The object that the reference points at: a tag object or a commit. */
  oid: Oid
  commit_oid: Oid
  created_unix: Unix
  /** When an API request or a page created the tag; 0 for pushed tags. */
  made_unix: Generated<Unix>
  is_deleted: Generated<boolean>
  journal_id: Generated<number>
}

/**
 * The ref journal: changes that are planned, or made and not yet recorded. The row is inserted before git moves a
 * reference, and deleted in the transaction that records the effects. A row found at start is the remainder of a crash.
 */
export interface RefJournalTable {
  id: Generated<number>
  repo_id: RepoId
  /** Which git repository of `repo_id`. */
  kind: Generated<'code' | 'wiki'>
  /** JSON list of {ref, old, new}. */
  updates: string
  /** JSON: the account and the transport of the change. */
  origin: string
  created_unix: Unix
  /** JSON [ref, oid] lines: the old values of later changes that were already recorded. */
  followed: Generated<string>
  /** JSON {name, version, data} of the effect that the settling transaction applies; '' for none. */
  effect: Generated<string>
  /** The target of the effect, by which callers find a pending effect on it; '' without an effect. */
  subject: Generated<string>
  /** The process that makes the change (`process`). */
  process_id: string
}

export interface CommitStatusTable {
  id: Generated<StatusId>
  repo_id: RepoId
  sha: Oid
  /** Counts from 1 for each commit. */
  index: number
  state: string
  target_url: string
  description: string
  context: string
  context_hash: string
  creator_id: UserId
  created_unix: Unix
  updated_unix: Unix
}

export interface StarTable {
  repo_id: RepoId
  user_id: UserId
  created_unix: Unix
}

/** Watches of repositories, explicit or automatic. */
export interface WatchTable {
  repo_id: RepoId
  user_id: UserId
  mode: 'normal' | 'auto' | 'dont'
  created_unix: Unix
}

/** Generated source archives in the blob store. */
export interface RepoArchiveTable {
  repo_id: RepoId
  commit_oid: Oid
  format: string
  blob_key: string
  created_unix: Unix
  size_bytes: number
}

export interface RepositoryTables {
  repo: RepoTable
  repo_unit: RepoUnitTable
  repo_redirect: RepoRedirectTable
  collaboration: CollaborationTable
  branch: BranchTable
  tag: TagTable
  ref_journal: RefJournalTable
  commit_status: CommitStatusTable
  star: StarTable
  watch: WatchTable
  repo_archive: RepoArchiveTable
}

export type RepoRow = Selectable<RepoTable>
export type NewRepoRow = Insertable<RepoTable>
export type RepoChange = Updateable<RepoTable>
export type RepoArchiveRow = Selectable<RepoArchiveTable>
export type RefJournalRow = Selectable<RefJournalTable>
export type NewRefJournalRow = Insertable<RefJournalTable>
export type RepoUnitRow = Selectable<RepoUnitTable>
export type CollaborationRow = Selectable<CollaborationTable>
export type BranchRow = Selectable<BranchTable>
export type TagRow = Selectable<TagTable>
export type CommitStatusRow = Selectable<CommitStatusTable>
