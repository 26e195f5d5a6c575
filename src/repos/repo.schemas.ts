import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, reference, requestObject } from '../http/schema.ts'
import { Team } from '../orgs/team.schemas.ts'
import { User } from '../users/user.schemas.ts'
import { mergeStyles } from './unit-config.ts'

export const Permission = object('Permission', {
  admin: Type.Boolean(),
  push: Type.Boolean(),
  pull: Type.Boolean(),
})
export type Permission = Static<typeof Permission>

export const InternalTracker = object('InternalTracker', {
  enable_time_tracker: Type.Boolean(),
  allow_only_contributors_to_track_time: Type.Boolean(),
  enable_issue_dependencies: Type.Boolean(),
})
export type InternalTracker = Static<typeof InternalTracker>

export const ExternalTracker = object('ExternalTracker', {
  external_tracker_url: Type.String(),
  external_tracker_format: Type.String(),
  external_tracker_style: Type.String(),
  external_tracker_regexp_pattern: Type.String(),
})
export type ExternalTracker = Static<typeof ExternalTracker>

export const ExternalWiki = object('ExternalWiki', { external_wiki_url: Type.String() })
export type ExternalWiki = Static<typeof ExternalWiki>

export const RepoTransfer = object('RepoTransfer', {
  doer: nullable(User),
  recipient: nullable(User),
  teams: nullable(Type.Array(Team)),
})
export type RepoTransfer = Static<typeof RepoTransfer>

export const Repository = object('Repository', {
  id: Type.Integer(),
  owner: nullable(User),
  name: Type.String(),
  full_name: Type.String(),
  description: Type.String(),
  empty: Type.Boolean(),
  private: Type.Boolean(),
  fork: Type.Boolean(),
  template: Type.Boolean(),
  parent: nullable(reference('Repository')),
  mirror: Type.Boolean(),
  size: Type.Integer(),
  language: Type.String(),
  languages_url: Type.String(),
  html_url: Type.String(),
  url: Type.String(),
  link: Type.String(),
  ssh_url: Type.String(),
  clone_url: Type.String(),
  original_url: Type.String(),
  website: Type.String(),
  stars_count: Type.Integer(),
  forks_count: Type.Integer(),
  watchers_count: Type.Integer(),
  open_issues_count: Type.Integer(),
  open_pr_counter: Type.Integer(),
  release_counter: Type.Integer(),
  default_branch: Type.String(),
  archived: Type.Boolean(),
  created_at: dateTime(),
  updated_at: dateTime(),
  archived_at: dateTime(),
  permissions: Type.Optional(nullable(Permission)),
  has_issues: Type.Boolean(),
  internal_tracker: Type.Optional(nullable(InternalTracker)),
  external_tracker: Type.Optional(nullable(ExternalTracker)),
  has_wiki: Type.Boolean(),
  external_wiki: Type.Optional(nullable(ExternalWiki)),
  wiki_branch: Type.Optional(Type.String()),
  globally_editable_wiki: Type.Boolean(),
  has_pull_requests: Type.Boolean(),
  has_projects: Type.Boolean(),
  has_releases: Type.Boolean(),
  has_packages: Type.Boolean(),
  has_actions: Type.Boolean(),
  ignore_whitespace_conflicts: Type.Boolean(),
  allow_merge_commits: Type.Boolean(),
  allow_rebase: Type.Boolean(),
  allow_rebase_explicit: Type.Boolean(),
  allow_squash_merge: Type.Boolean(),
  allow_fast_forward_only_merge: Type.Boolean(),
  allow_rebase_update: Type.Boolean(),
  default_delete_branch_after_merge: Type.Boolean(),
  default_merge_style: Type.String(),
  default_allow_maintainer_edit: Type.Boolean(),
  default_update_style: Type.String(),
  avatar_url: Type.String(),
  internal: Type.Boolean(),
  mirror_interval: Type.String(),
  object_format_name: enumeration('sha1', 'sha256'),
  mirror_updated: dateTime(),
  repo_transfer: nullable(RepoTransfer),
  topics: nullable(Type.Array(Type.String())),
})
export type Repository = Static<typeof Repository>

export const SearchResults = object('SearchResults', {
  ok: Type.Boolean(),
  data: nullable(Type.Array(Repository)),
})
export type SearchResults = Static<typeof SearchResults>

/** The service checks names further. */
const repoName = () => Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_.-]*$' })

export const CreateRepoOption = requestObject('CreateRepoOption', {
  name: repoName(),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  private: Type.Optional(Type.Boolean()),
  issue_labels: Type.Optional(Type.String()),
  auto_init: Type.Optional(Type.Boolean()),
  template: Type.Optional(Type.Boolean()),
  gitignores: Type.Optional(Type.String()),
  license: Type.Optional(Type.String()),
  readme: Type.Optional(Type.String()),
  default_branch: Type.Optional(Type.String({ maxLength: 100 })),
  trust_model: Type.Optional(Type.String()),
  object_format_name: Type.Optional(Type.String({ maxLength: 6 })),
})
export type CreateRepoOption = Static<typeof CreateRepoOption>

export const EditRepoOption = requestObject('EditRepoOption', {
  name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_.-]*$' })),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  website: Type.Optional(Type.String({ maxLength: 1024 })),
  private: Type.Optional(Type.Boolean()),
  template: Type.Optional(Type.Boolean()),
  has_issues: Type.Optional(Type.Boolean()),
  internal_tracker: Type.Optional(Type.Partial(InternalTracker)),
  external_tracker: Type.Optional(Type.Partial(ExternalTracker)),
  has_wiki: Type.Optional(Type.Boolean()),
  external_wiki: Type.Optional(Type.Partial(ExternalWiki)),
  globally_editable_wiki: Type.Optional(Type.Boolean()),
  default_branch: Type.Optional(Type.String()),
  wiki_branch: Type.Optional(Type.String()),
  has_pull_requests: Type.Optional(Type.Boolean()),
  has_projects: Type.Optional(Type.Boolean()),
  has_releases: Type.Optional(Type.Boolean()),
  has_packages: Type.Optional(Type.Boolean()),
  has_actions: Type.Optional(Type.Boolean()),
  ignore_whitespace_conflicts: Type.Optional(Type.Boolean()),
  allow_merge_commits: Type.Optional(Type.Boolean()),
  allow_rebase: Type.Optional(Type.Boolean()),
  allow_rebase_explicit: Type.Optional(Type.Boolean()),
  allow_squash_merge: Type.Optional(Type.Boolean()),
  allow_fast_forward_only_merge: Type.Optional(Type.Boolean()),
  allow_manual_merge: Type.Optional(Type.Boolean()),
  autodetect_manual_merge: Type.Optional(Type.Boolean()),
  allow_rebase_update: Type.Optional(Type.Boolean()),
  default_delete_branch_after_merge: Type.Optional(Type.Boolean()),
  default_merge_style: Type.Optional(enumeration(...mergeStyles)),
  default_update_style: Type.Optional(enumeration('merge', 'rebase')),
  default_allow_maintainer_edit: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  mirror_interval: Type.Optional(Type.String()),
  enable_prune: Type.Optional(Type.Boolean()),
})
export type EditRepoOption = Static<typeof EditRepoOption>
