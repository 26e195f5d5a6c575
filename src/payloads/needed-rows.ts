import type {
  CommentId,
  IssueId,
  PackageVersionId,
  ReleaseId,
  RepoId,
  ReviewId,
  RunId,
  TeamId,
  UserId,
} from '../lib/ids.ts'

/** Rows that a payload needs; they are loaded for all payloads of a transaction at once. */
export interface NeededRows {
  readonly issueIds?: readonly IssueId[]
  readonly commentIds?: readonly CommentId[]
  readonly userIds?: readonly UserId[]
  readonly repoIds?: readonly RepoId[]
  readonly teamIds?: readonly TeamId[]
  readonly releaseIds?: readonly ReleaseId[]
  readonly versionIds?: readonly PackageVersionId[]
  readonly reviewIds?: readonly ReviewId[]
  readonly runIds?: readonly RunId[]
}
