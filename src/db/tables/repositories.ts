import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type { GitKey, Oid, RepoId, StatusId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import type { AccessMode } from './accounts.ts'

export interface RepoTable {
  id: Generated<RepoId>
  owner_id: UserId
  name: string
  lower_name: string
  /** Where git keeps it; never changes, whatever the repository is called and whoever owns it. */
  git_key: GitKey
  /** Where git keeps its wiki; null until the wiki has a page. */
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
  /** True while a transfer waits for its recipient (`repo_transfer`). */
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
  /** Last number given to an issue or pull request. */
  last_index: Generated<number>
  created_unix: Unix
  updated_unix: Unix
  /** When the default branch's languages were last counted; the reader of statistics only. */
  languages_commit: Generated<string>
  /** Who may come without having been given anything: 0 everybody, 1 the signed-in, 2 members of its owner, 3 nobody else, 4 nobody. The database keeps it. */
  audience: GeneratedAlways<number>
  /** The name of its owner, by which repositories are ordered. The database keeps it. */
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

/** A unit that is switched on, with its settings. */
export interface RepoUnitTable {
  repo_id: RepoId
  unit: RepoUnit
  /** JSON object; its members depend on the unit. */
  config: string
  /** Access that everybody signed in has on a public repository beyond reading (the wiki open to all). */
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
  /** The repository's audience. The database keeps it. */
  audience: GeneratedAlways<number>
}

/** Branches as git has them, and those that were; rebuilt from git by `ingot doctor --fix`. */
export interface BranchTable {
  repo_id: RepoId
  name: string
  commit_oid: Oid
  /** Committer time of the head. */
  commit_unix: Unix
  pusher_id: UserId | null
  updated_unix: Unix
  /** A deleted one stays for a while, so that an older change that is recorded late does not bring it back. */
  is_deleted: Generated<boolean>
  /** The ref change (`ref_journal`) that was recorded last; older ones do not count any more. */
  journal_id: Generated<number>
}

/** Tags as git has them, and those that were. */
export interface TagTable {
  repo_id: RepoId
  name: string
  /** What the reference points at: a tag object or a commit. */
  oid: Oid
  commit_oid: Oid
  created_unix: Unix
  /** When a request other than a push made it; 0 for pushed ones, of which only their objects tell. */
  made_unix: Generated<Unix>
  is_deleted: Generated<boolean>
  journal_id: Generated<number>
}

/**
 * Ref changes that are about to be made or were made and not yet recorded. A row is written before git moves a
 * reference and removed in the transaction that records the effects; what is found at start was left by a crash.
 */
export interface RefJournalTable {
  id: Generated<number>
  repo_id: RepoId
  /** Which git repository of it. */
  kind: Generated<'code' | 'wiki'>
  /** JSON list of {ref, old, new}. */
  updates: string
  /** JSON: who did it and through which door. */
  origin: string
  created_unix: Unix
  /** JSON [ref, oid] in lines: values of references at which later changes began, which are recorded. */
  followed: Generated<string>
  /** JSON {name, version, data} of what follows in the transaction that settles the entry; '' for nothing. */
  effect: Generated<string>
  /** What the effect is about, for those who must not begin the same; '' without an effect. */
  subject: Generated<string>
  /** The process that makes the change (`process`). */
  process_id: string
}

export interface CommitStatusTable {
  id: Generated<StatusId>
  repo_id: RepoId
  sha: Oid
  /** Counts up for each commit from 1. */
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

/** Whether an account watches a repository, as asked for or as it came about. */
export interface WatchTable {
  repo_id: RepoId
  user_id: UserId
  mode: 'normal' | 'auto' | 'dont'
  created_unix: Unix
}

/** An archive that was made on demand and is kept in the blob store. */
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
