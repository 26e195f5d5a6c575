import type { Services } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { viewerAs } from '../../auth/viewer.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { findIssueById } from '../../issues/issue.store.ts'
import type { Oid, UserId } from '../../lib/ids.ts'
import { isFromElsewhere } from '../../pulls/pull-ref.ts'
import { findUserById } from '../../users/user.store.ts'
import { hasApprovedRun } from './run.store.ts'

/**
 * The trust of a run. It is stored with the run and decides what the run may do: secrets, rights of its tokens, cache
 * scope, concurrency groups, and the packages that it may publish.
 */
export interface RunTrust {
  readonly isTrusted: boolean
  /** The poster of the pull request whose commits run; null for a trusted run, and when the commit belongs to none. */
  readonly authorId: UserId | null
  readonly needsApproval: boolean
}

/** The commit that a run executes, and its pull request. */
export interface RunSource {
  readonly repo: RepoRow
  /** The commit whose workflow file runs. */
  readonly commit: Oid
  /** The pull request whose head or reviewed commit runs; undefined when a reference of the repository runs. */
  readonly pull: PullRow | undefined
}

const trusted: RunTrust = { isTrusted: true, authorId: null, needsApproval: false }

/**
 * Returns the trust of a run. It depends on the commit, on the author of the commit's pull request, and on earlier
 * approvals of that author. The person who caused the event and the kind of event add no trust.
 */
export async function trustOf(services: Services, source: RunSource): Promise<RunTrust> {
  const { repo, commit, pull } = source
  const isOfFork = pull !== undefined && isFromElsewhere(pull)
  if (!isOfFork && (await services.git.isOnBranchOrTag(repo.git_key, commit))) return trusted
  const authorId = await findAuthor(services, source)
  return { isTrusted: false, authorId, needsApproval: await needsApproval(services, repo, authorId) }
}

/** Returns the poster of the pull request when the commit belongs to it: a review may name any commit. */
async function findAuthor({ db, git }: Services, { repo, commit, pull }: RunSource): Promise<UserId | null> {
  if (!pull) return null
  const isOfPull = commit === pull.synced_oid || (await git.isAncestor(repo.git_key, commit, pull.synced_oid))
  const isMerge = pull.merge_oid !== '' && commit === pull.merge_oid
  const issue = isOfPull || isMerge ? await findIssueById(db, pull.issue_id) : undefined
  return issue?.poster_id ?? null
}

async function needsApproval({ db }: Services, repo: RepoRow, authorId: UserId | null): Promise<boolean> {
  const [author, owner] = await Promise.all([
    authorId === null ? undefined : findUserById(db, authorId),
    findUserById(db, repo.owner_id),
  ])
  if (!author || !owner || author.is_restricted || author.prohibit_login || !author.is_active) return true
  const { rights } = await accessTo(db, viewerAs(author), owner, repo)
  return !rights.canWrite('actions') && !(await hasApprovedRun(db, repo.id, author.id))
}
