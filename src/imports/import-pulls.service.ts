import { transaction } from '../db/database.ts'
import type { NewCommentRow } from '../db/tables/issues.ts'
import type { NewPullRow } from '../db/tables/pulls.ts'
import { pluck } from '../lib/pluck.ts'
import { isValidBranchName } from '../lib/ref-name.ts'
import type { IssueId, Oid, ReviewId } from '../lib/ids.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { branchRef, fetchedPrefix, zeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { pullRef } from '../pulls/pull-ref.ts'
import { addNote, progressAfter, reach, timeOr, writerOf, type RepositoryRun } from './import-run.ts'
import { fetchFiles } from './import-files.service.ts'
import { insertEntries, insertPulls, insertReviews } from './import-rows.store.ts'
import type { PageOf } from './import-page.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { writeIssueRows } from './import-tracker.service.ts'
import type { SourcePull } from './sources/source.ts'

/** Prefix of the fetched pull request heads until their own references exist. */
export const fetchedPulls = `${fetchedPrefix}pulls/`

/** Pull requests measured at the same time. */
const parallelPulls = 4

/** A pull request with the facts that git knows. */
interface Measured {
  readonly pull: SourcePull
  readonly head: Oid
  readonly mergeBase: Oid | ''
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
  /** False: the source server has no commits of it any more. */
  readonly hasCommits: boolean
}

/**
 * Inserts pull requests with their reviews, and creates the references that retain their commits. Pull requests without commits
 * are closed, because they cannot be merged.
 * @param numberOffset added to each number when the source numbers pull requests and issues separately
 */
export async function writePulls(run: RepositoryRun, page: PageOf<SourcePull>, numberOffset: number): Promise<void> {
  const { ctx } = run
  const measured = await measureAll(
    run,
    page.items.filter((pull) => isValidBranchName(pull.baseBranch)),
    numberOffset,
  )
  await createRefs(run, measured)
  const pulls = await fetchFiles(run, pluck(measured, 'pull'))
  const atUnix = nowUnix(ctx.clock)
  const byNumber = new Map(measured.map((each) => [each.pull.number, each]))
  await transaction(ctx.db, async (tx) => {
    const ids = await writeIssueRows(tx, run, pulls, {
      isPull: true,
      mergedUnix: (number) => byNumber.get(number)?.pull.mergedUnix ?? 0,
    })
    const fresh = [...byNumber.values()].flatMap((each) => {
      const issueId = ids.get(each.pull.number)
      return issueId === undefined ? [] : [{ issueId, each }]
    })
    await insertPulls(
      tx,
      fresh.map(({ issueId, each }) => pullRow(run, issueId, each)),
    )
    const reviews = fresh.flatMap(({ issueId, each }) => each.pull.reviews.map((review) => ({ issueId, review, each })))
    const reviewIds = await insertReviews(
      tx,
      reviews.map(({ issueId, review }) => {
        const writer = writerOf(run, review.author)
        const createdUnix = timeOr(review.createdUnix, atUnix)
        return {
          issue_id: issueId,
          type: review.type,
          reviewer_id: writer.id,
          reviewer_team_id: null,
          original_author: writer.originalAuthor,
          content: review.content,
          // Imported reviews do not count for branch protection.
          is_official: false,
          commit_oid: review.commit as Oid | '',
          is_dismissed: review.isDismissed,
          created_unix: createdUnix,
          updated_unix: timeOr(review.updatedUnix, createdUnix),
        }
      }),
    )
    await insertEntries(
      tx,
      reviews.flatMap(({ issueId, review, each }, index) =>
        entriesOf(run, { issueId, reviewId: reviewIds[index] as ReviewId, review, measured: each }),
      ),
    )
    await reach(tx, run, progressAfter(page, ids.size))
  })
}

function entriesOf(
  run: RepositoryRun,
  {
    issueId,
    reviewId,
    review,
    measured,
  }: {
    readonly issueId: IssueId
    readonly reviewId: ReviewId
    readonly review: SourcePull['reviews'][number]
    readonly measured: Measured
  },
): NewCommentRow[] {
  const atUnix = nowUnix(run.ctx.clock)
  const entry = (
    text: { readonly author: typeof review.author; readonly content: string; createdUnix: number; updatedUnix: number },
    more: Partial<NewCommentRow> & Pick<NewCommentRow, 'type'>,
  ): NewCommentRow => {
    const writer = writerOf(run, text.author)
    const createdUnix = timeOr(text.createdUnix, atUnix)
    return {
      tree_path: '',
      line: 0,
      patch: '',
      commit_sha: '',
      line_oid: '',
      ...more,
      issue_id: issueId,
      review_id: reviewId,
      poster_id: writer.id,
      original_author: writer.originalAuthor,
      content: text.content,
      created_unix: createdUnix,
      updated_unix: timeOr(text.updatedUnix, createdUnix),
    }
  }
  return [
    ...review.comments.map((comment) =>
      entry(comment, {
        type: 'code',
        tree_path: comment.path,
        line: comment.line,
        patch: comment.hunk,
        commit_sha: comment.commit,
        line_oid: comment.line < 0 ? measured.mergeBase : measured.head,
      }),
    ),
    entry(review, { type: 'review' }),
  ]
}

function pullRow({ repo, ...run }: RepositoryRun, issueId: IssueId, each: Measured): NewPullRow {
  const { pull, head } = each
  const merger = pull.mergedBy && writerOf({ ...run, repo } as RepositoryRun, pull.mergedBy)
  return {
    issue_id: issueId,
    repo_id: repo.id,
    index: pull.number,
    base_branch: pull.baseBranch,
    head_repo_id: pull.isHeadHere ? repo.id : null,
    head_branch: isValidBranchName(pull.headBranch) ? pull.headBranch : `pull-${pull.number}`,
    flow: 0,
    head_oid: head,
    synced_oid: head,
    merge_base: each.mergeBase,
    // The mergeability is computed when the pull request is first shown.
    check_state: pull.isClosed || pull.isMerged ? 'mergeable' : 'checking',
    additions: each.additions,
    deletions: each.deletions,
    changed_files: each.changedFiles,
    is_merged: pull.isMerged,
    merge_oid: (pull.isMerged ? pull.mergeCommit : '') as Oid | '',
    merger_id: merger?.id ?? null,
    merged_unix: pull.mergedUnix,
  }
}

async function measureAll(
  run: RepositoryRun,
  pulls: readonly SourcePull[],
  numberOffset: number,
): Promise<readonly Measured[]> {
  const { ctx, repo } = run
  const fetched = new Map((await ctx.git.readRefs(repo.git_key, fetchedPulls)).map(({ name, oid }) => [name, oid]))
  const named = pulls.flatMap(({ headCommit, baseCommit, mergeCommit }) => [headCommit, baseCommit, mergeCommit])
  const wanted = [...new Set(named)].filter((oid) => oid.length === zeroOid(repo.object_format).length) as Oid[]
  const missing = new Set<string>(await ctx.git.missingObjects(repo.git_key, wanted))
  const known = (oid: string): Oid | undefined =>
    wanted.includes(oid as Oid) && !missing.has(oid) ? (oid as Oid) : undefined
  const measured = await mapLimited(pulls, parallelPulls, async (source): Promise<Measured | undefined> => {
    run.signal.throwIfAborted()
    const base = known(source.baseCommit) ?? (await ctx.git.readRef(repo.git_key, branchRef(source.baseBranch)))
    const head = known(source.headCommit) ?? fetched.get(`${fetchedPulls}${source.number}`)
    const anchor = head ?? base ?? (await ctx.git.readHead(repo.git_key)).oid
    const number = source.number + numberOffset
    if (anchor === undefined) {
      addNote(run, `pull request ${number} was skipped: the repository has no commits`)
      return undefined
    }
    if (head === undefined) addNote(run, `the source server has no commits of pull request ${number}`)
    const mergeBase = head && base ? await ctx.git.mergeBase(repo.git_key, base, head) : undefined
    const files =
      head && mergeBase && mergeBase !== head
        ? await ctx.git.diffFiles(repo.git_key, { base: mergeBase, head, signal: run.signal })
        : []
    const isClosed = source.isClosed || source.isMerged || head === undefined
    return {
      pull: { ...source, number, isClosed, mergeCommit: known(source.mergeCommit) ?? '' },
      head: anchor,
      mergeBase: mergeBase ?? (head === undefined ? anchor : ''),
      additions: files.reduce((sum, file) => sum + file.additions, 0),
      deletions: files.reduce((sum, file) => sum + file.deletions, 0),
      changedFiles: files.length,
      hasCommits: head !== undefined,
    }
  })
  return measured.filter((each) => each !== undefined)
}

/** Creates the references of the heads; they may exist when a page is repeated after a crash. */
async function createRefs({ ctx, repo, doer }: RepositoryRun, measured: readonly Measured[]): Promise<void> {
  if (measured.length === 0) return
  const none = zeroOid(repo.object_format)
  const present = new Map((await ctx.git.readRefs(repo.git_key, 'refs/pull/')).map(({ name, oid }) => [name, oid]))
  const heads = new Map(measured.map(({ pull, head }) => [pullRef(pull.number), head]))
  const changes = [...heads].map(([ref, head]) => ({ ref, old: present.get(ref) ?? none, new: head }))
  const made = await moveRefs(
    ctx,
    codeOf(repo),
    changes.filter((change) => change.old !== change.new),
    { doerId: doer.id, via: 'internal' },
    { isQuiet: true },
  )
  if (!made.ok) throw new Error(`cannot create the references of pull requests: ${made.message}`)
}
