import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow, RefAction } from '../../db/tables/issues.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { BranchRow, RepoRow } from '../../db/tables/repositories.ts'
import type { CommentId, IssueId, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Repositories with their owners, by `owner/name` in lower case. */
export async function listReposByFullName(
  db: Db,
  fullNames: readonly string[],
): Promise<{ fullName: string; repo: RepoRow; owner: UserRow }[]> {
  const pairs = fullNames.map((each) => each.split('/') as [string, string])
  if (pairs.length === 0) return []
  const owners = await db
    .selectFrom('user')
    .selectAll()
    .where('lower_name', 'in', [...new Set(pairs.map(([owner]) => owner))])
    .execute()
  const ownerByName = new Map(owners.map((owner) => [owner.lower_name, owner]))
  const wanted = pairs.flatMap(([owner, name]) => {
    const found = ownerByName.get(owner)
    return found ? [{ owner: found, name }] : []
  })
  if (wanted.length === 0) return []
  const repos = await db
    .selectFrom('repo')
    .selectAll()
    .where((where) =>
      where.or(
        wanted.map(({ owner, name }) => where.and([where('owner_id', '=', owner.id), where('lower_name', '=', name)])),
      ),
    )
    .execute()
  const ownerById = new Map(owners.map((owner) => [owner.id, owner]))
  return repos.flatMap((repo) => {
    const owner = ownerById.get(repo.owner_id)
    return owner ? [{ fullName: `${owner.lower_name}/${repo.lower_name}`, repo, owner }] : []
  })
}

/** Issues by repository and number. */
export const listIssuesByNumber = (
  db: Db,
  wanted: readonly { readonly repoId: RepoId; readonly indexes: readonly number[] }[],
): Promise<IssueRow[]> =>
  wanted.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('issue')
        .selectAll()
        .where((where) =>
          where.or(
            wanted.map(({ repoId, indexes }) =>
              where.and([where('repo_id', '=', repoId), where('index', 'in', indexes)]),
            ),
          ),
        )
        .execute()

/** Returns the active references of a text: of a comment, or of the title and text of an issue. */
export const listLiveReferences = (
  tx: Tx,
  sourceIssueId: IssueId,
  sourceCommentId: CommentId | null,
): Promise<CommentRow[]> => {
  const query = tx
    .selectFrom('comment')
    .selectAll()
    .where('ref_issue_id', '=', sourceIssueId)
    .where('type', 'in', ['issue_ref', 'pull_ref', 'comment_ref'])
    .where('ref_action', '!=', 'neutered')
  return (
    sourceCommentId === null
      ? query.where('ref_comment_id', 'is', null)
      : query.where('ref_comment_id', '=', sourceCommentId)
  ).execute()
}

export async function neuterReferences(tx: Tx, ids: readonly CommentId[], updatedUnix: Unix): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('comment')
    .set({ ref_action: 'neutered' satisfies RefAction, updated_unix: updatedUnix })
    .where('id', 'in', ids)
    .execute()
}

/** Returns the issues that the texts and comments of a pull request close or reopen, one row for each reference, oldest first. */
export const listClosingReferences = (db: Db, pullIssueId: IssueId): Promise<CommentRow[]> =>
  db
    .selectFrom('comment')
    .selectAll()
    .where('ref_issue_id', '=', pullIssueId)
    .where('ref_action', 'in', ['closes', 'reopens'])
    .orderBy('id')
    .execute()

export type BranchHead = Pick<BranchRow, 'name' | 'commit_oid'>

/** Returns the newest 1,000 branches of a repository. */
export const listNewestBranches = (db: Db, repoId: RepoId): Promise<readonly BranchHead[]> =>
  db
    .selectFrom('branch')
    .select(['name', 'commit_oid'])
    .where('repo_id', '=', repoId)
    .where('is_deleted', '=', false)
    .orderBy('commit_unix', 'desc')
    .limit(1000)
    .execute()

/** Returns the issues that have a timeline entry about a commit. */
export const listIssuesTellingOf = async (tx: Tx, issueIds: readonly IssueId[], sha: string): Promise<Set<IssueId>> =>
  new Set(
    (
      await tx
        .selectFrom('comment')
        .select('issue_id')
        .where('issue_id', 'in', issueIds)
        .where('type', '=', sql.lit('commit_ref'))
        .where('commit_sha', '=', sha)
        .execute()
    ).map((row) => row.issue_id),
  )
