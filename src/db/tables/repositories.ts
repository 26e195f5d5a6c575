import type { Insertable, Selectable, Updateable } from 'kysely'
import type { GitKey, Oid, RepoId, StatusId, TeamId, UserId } from '../../lib/ids.ts'
import {
  bigint,
  byTrigger,
  flag,
  given,
  id,
  integer,
  nullable,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'
import type { AccessMode } from './accounts.ts'

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

/**
 * What an account hears of a repository: everything (by choice or automatically), its releases, what the account takes part
 * in, or nothing. Each but `nothing` includes what the account takes part in.
 */
export type WatchMode = 'normal' | 'auto' | 'releases' | 'dont' | 'nothing'

export const repositoryTables = {
  repo: table(
    {
      id: id<RepoId>(),
      owner_id: ref<UserId>('user'),
      name: text(),
      lower_name: text(),
      /** The location of the git repository. Renames and transfers do not change it. */
      git_key: unique(text<GitKey>()),
      /** The location of the wiki's git repository; null until the wiki has a page. */
      wiki_git_key: unique(nullable(text<GitKey>())),
      description: given(text('')),
      website: given(text('')),
      default_branch: text(),
      wiki_branch: text('main'),
      object_format: given(text<'sha1' | 'sha256'>('sha1')),
      is_private: given(flag(false)),
      /** True until a branch exists. */
      is_empty: given(flag(true)),
      is_archived: flag(false),
      archived_unix: unix(0),
      is_template: flag(false),
      is_mirror: flag(false),
      /** True while a transfer is pending (`repo_transfer`). */
      has_transfer: flag(false),
      is_fork: flag(false),
      fork_id: nullable(ref<RepoId>('repo', 'set null')),
      template_id: nullable(ref<RepoId>('repo', 'set null')),
      original_url: text(''),
      trust_model: text('default'),
      /** JSON list of topic names. */
      topics: text('[]'),
      avatar_key: text(''),
      primary_language: text(''),
      git_size_bytes: bigint(0),
      lfs_size_bytes: bigint(0),
      num_stars: integer(0),
      num_watches: integer(0),
      num_forks: integer(0),
      num_issues: integer(0),
      num_closed_issues: integer(0),
      num_pulls: integer(0),
      num_closed_pulls: integer(0),
      num_releases: integer(0),
      /** The last number of an issue or pull request. */
      last_index: integer(0),
      created_unix: unix(),
      updated_unix: unix(),
      /** The commit of the default branch whose languages were counted; '' for none. */
      languages_commit: text(''),
      /**
       * Who can read the repository without a grant: 0 everyone, 1 signed-in accounts, 2 members of the owner, 3 and 4 only
       * people with a grant; 4 when the owner is a reserved account. A trigger sets it.
       */
      audience: byTrigger(integer(3)),
      /** The owner's name, for ordering. A trigger sets it. */
      owner_lower_name: byTrigger(text('')),
      /** Grows with each change of the references (`git_ref`) or of HEAD (`default_branch`). */
      git_generation: bigint(0),
      /** The same for the wiki and `wiki_branch`. */
      wiki_generation: bigint(0),
    },
    {
      unique: [['owner_id', 'lower_name']],
      indexes: {
        repo_template: '(template_id)',
        repo_counts: '(audience, num_issues, num_closed_issues, num_pulls, num_closed_pulls, owner_id, id)',
        repo_by_name: '(audience, lower_name, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_creation: '(audience, created_unix, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_change: '(audience, updated_unix, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_git_size: '(audience, git_size_bytes, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_lfs_size: '(audience, lfs_size_bytes, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_stars: '(audience, num_stars, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_forks: '(audience, num_forks, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_by_owner_name:
          '(audience, owner_lower_name, lower_name, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_of_owner: '(owner_id, lower_name, id, audience, is_template, is_archived, is_mirror, is_fork)',
        repo_by_id: '(audience, id, owner_id, is_template, is_archived, is_mirror, is_fork)',
        repo_fork: '(fork_id, audience, id)',
        repo_counts_of_owner: '(owner_id, audience, id, num_issues, num_closed_issues, num_pulls, num_closed_pulls)',
        repo_by_size: {
          sqlite:
            '(audience, (git_size_bytes + lfs_size_bytes), id, owner_id, is_template, is_archived, is_mirror, is_fork)',
          postgres:
            '(audience, (git_size_bytes + lfs_size_bytes), id, owner_id, is_template, is_archived, is_mirror, is_fork, git_size_bytes, lfs_size_bytes)',
        },
      },
    },
  ),

  team_repo: table(
    {
      team_id: ref<TeamId>('team', 'cascade'),
      org_id: ref<UserId>('user', 'cascade'),
      repo_id: ref<RepoId>('repo', 'cascade'),
    },
    {
      primaryKey: ['team_id', 'repo_id'],
      indexes: { team_repo_repo: '(repo_id, team_id)', team_repo_org: '(org_id)' },
    },
  ),

  /** An enabled unit and its settings. */
  repo_unit: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      unit: text<RepoUnit>(),
      /** JSON object; its members depend on the unit. */
      config: given(text('{}')),
      /**
       * The access of every signed-in account to the unit of a public repository, beyond reading (a wiki that everyone may
       * edit).
       */
      default_access: integer<AccessMode>(0),
    },
    { primaryKey: ['repo_id', 'unit'] },
  ),

  repo_redirect: table(
    {
      owner_id: ref<UserId>('user', 'cascade'),
      lower_name: text(),
      repo_id: ref<RepoId>('repo', 'cascade'),
    },
    { primaryKey: ['owner_id', 'lower_name'], indexes: { repo_redirect_repo: '(repo_id)' } },
  ),

  collaboration: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      access_mode: integer<AccessMode>(),
      created_unix: unix(),
      /** The repository's audience. A trigger sets it. */
      audience: byTrigger(integer(0)),
    },
    {
      primaryKey: ['repo_id', 'user_id'],
      indexes: { collaboration_user: '(user_id, audience, repo_id, access_mode)' },
    },
  ),

  /**
   * The references of every git repository. They decide; the repository on a disk is a copy, which is brought up to
   * `git_generation` or `wiki_generation` before it is read.
   */
  git_ref: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      kind: text<'code' | 'wiki'>(),
      /** Full name. */
      name: text(),
      oid: text<Oid>(),
    },
    {
      primaryKey: ['repo_id', 'kind', 'name'],
      indexes: { git_ref_bytewise: { sqlite: '', postgres: '(repo_id, kind, name collate "C")' } },
    },
  ),

  /**
   * The manifest: which packs in the storage have the objects of a git repository, with `[repository].STORAGE = blobs`. A
   * transaction that names objects in `git_ref` names their packs here. Forks may name the same blob. Rows with another key
   * than the repository has are replaced.
   */
  git_pack: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      kind: text<'code' | 'wiki'>(),
      /** git's checksum of the pack. */
      name: text(),
      /** Key of the pack and its index in the storage, without the endings. */
      blob_key: text(),
      size_bytes: bigint(),
      sha256: text(),
      index_sha256: text(),
      /** When another pack replaced it. Copies that have it drop it, and the blob stays for as long as a read may need it. */
      replaced_unix: nullable(unix()),
      /** The key of the git repository when the pack was named. */
      git_key: text<GitKey>(),
      /** When the objects of the pack were found unreachable; null: any of them may be reachable. */
      cruft_unix: nullable(unix()),
    },
    {
      primaryKey: ['repo_id', 'kind', 'git_key', 'name'],
      indexes: {
        git_pack_blob: '(blob_key)',
        git_pack_replaced: '(replaced_unix) where replaced_unix is not null',
      },
    },
  ),

  /** What lists show of the branches in `git_ref`, and tombstones of deleted ones. Each change writes both. */
  branch: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      name: text(),
      commit_oid: text<Oid>(),
      /** The committer time of the head. */
      commit_unix: unix(),
      pusher_id: nullable(bigint<UserId>()),
      updated_unix: unix(),
      /** Tombstones are kept for a while. */
      is_deleted: flag(false),
    },
    {
      primaryKey: ['repo_id', 'name'],
      indexes: {
        // The order of `listBranches`: thousands of branches may have one commit.
        branch_newest: {
          sqlite: '(repo_id, is_deleted, commit_unix desc, name)',
          postgres: '(repo_id, is_deleted, commit_unix desc, name collate "C")',
        },
      },
    },
  ),

  /** What lists show of the tags in `git_ref`, and tombstones of deleted ones. */
  tag: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      name: text(),
      /** The object that the reference points at: a tag object or a commit. */
      oid: text<Oid>(),
      commit_oid: text<Oid>(),
      created_unix: unix(),
      is_deleted: flag(false),
      /** When an API request or a page created the tag; 0 for pushed tags. */
      made_unix: unix(0),
    },
    { primaryKey: ['repo_id', 'name'] },
  ),

  commit_status: table(
    {
      id: id<StatusId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      sha: text<Oid>(),
      /** Counts from 1 for each commit. */
      index: integer(),
      state: text(),
      target_url: given(text('')),
      description: given(text('')),
      context: given(text('')),
      context_hash: text(),
      creator_id: bigint<UserId>(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { unique: [['repo_id', 'sha', 'index']], indexes: { commit_status_of_repo: '(repo_id, id)' } },
  ),

  star: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      created_unix: unix(),
    },
    {
      primaryKey: ['repo_id', 'user_id'],
      indexes: { star_user: '(user_id, repo_id)', star_of_repo: '(repo_id, created_unix, user_id)' },
    },
  ),

  /** What accounts chose to hear of repositories, and automatic watches. */
  watch: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      mode: text<WatchMode>(),
      created_unix: unix(),
    },
    {
      primaryKey: ['repo_id', 'user_id'],
      indexes: { watch_user: '(user_id, repo_id, mode)', watch_of_repo: '(repo_id, created_unix, user_id, mode)' },
    },
  ),

  /** Generated source archives in the blob store. */
  repo_archive: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      commit_oid: text<Oid>(),
      format: text(),
      blob_key: text(),
      created_unix: unix(),
      size_bytes: given(bigint(0)),
    },
    { primaryKey: ['repo_id', 'commit_oid', 'format'] },
  ),

  /** The repositories that the page of an account begins with, in their order. */
  pinned_repo: table(
    {
      user_id: ref<UserId>('user', 'cascade'),
      repo_id: ref<RepoId>('repo', 'cascade'),
      position: integer(),
    },
    { primaryKey: ['user_id', 'repo_id'], indexes: { pinned_repo_of_repo: '(repo_id)' } },
  ),
}

export type RepositoryTables = TablesOf<typeof repositoryTables>
export type BranchTable = RepositoryTables['branch']
export type RepoRow = Selectable<RepositoryTables['repo']>
export type NewRepoRow = Insertable<RepositoryTables['repo']>
export type RepoChange = Updateable<RepositoryTables['repo']>
export type RepoArchiveRow = Selectable<RepositoryTables['repo_archive']>
export type RepoUnitRow = Selectable<RepositoryTables['repo_unit']>
export type CollaborationRow = Selectable<RepositoryTables['collaboration']>
export type BranchRow = Selectable<BranchTable>
export type TagRow = Selectable<RepositoryTables['tag']>
export type CommitStatusRow = Selectable<RepositoryTables['commit_status']>
