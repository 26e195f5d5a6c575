import { transaction } from '../db/database.ts'
import type { NewCommentRow } from '../db/tables/issues.ts'
import type { NewPullRow } from '../db/tables/pulls.ts'
import { isValidBranchName } from '../git/refs/ref-name.ts'
import type { IssueId, Oid, ReviewId } from '../lib/ids.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { branchRef, fetchedPrefix, zeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { pullRef } from '../pulls/pull-ref.ts'
import { addNote, reach, timeOr, writerOf, type FilledRun } from './import-run.ts'
import { fetchFiles } from './import-files.service.ts'
import { insertEntries, insertPulls, insertReviews } from './import-rows.store.ts'
import { writeIssueRows, type PageOf } from './import-tracker.service.ts'
import type { SourcePull } from './sources/source.ts'

/** Where the heads of pull requests of the other server lie until theirs are made. */
export const fetchedPulls = `${fetchedPrefix}pulls/`

/** Pull requests that git is asked about at the same time. */
const parallelPulls = 4

/** What git knows of a pull request. */
interface Measured {
  readonly pull: SourcePull
  readonly head: Oid
  readonly mergeBase: Oid | ''
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
  /** False: its commits are gone over there. */
  readonly hasCommits: boolean
}

/**
 * Writes pull requests with their reviews, and the references that keep their commits. Those whose commits are gone over
 * there are closed, since there is nothing left that could be merged.
 * @param numberBefore what is added to each number, where they are counted apart from issues
 */
export async function writePulls(run: FilledRun, page: PageOf<SourcePull>, numberBefore: number): Promise<void> {
  const { ctx } = run
  const measured = await measureAll(
    run,
    page.items.filter((pull) => isValidBranchName(pull.baseBranch)),
    numberBefore,
  )
  await makeRefs(run, measured)
  const pulls = await fetchFiles(
    run,
    measured.map(({ pull }) => pull),
  )
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
    const reviews = fresh.flatMap(({ issueId, each }) => each.pull.reviews.map((review) => ({ issueId, review })))
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
          // What counted over there opens no protected branch here.
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
      reviews.flatMap(({ issueId, review }, index) => entriesOf(run, issueId, reviewIds[index] as ReviewId, review)),
    )
    await reach(tx, run, {
      step: page.step,
      place: page.next ?? '',
      doneCount: page.doneCount + page.items.length,
      added: ids.size,
    })
  })
}

function entriesOf(
  run: FilledRun,
  issueId: IssueId,
  reviewId: ReviewId,
  review: SourcePull['reviews'][number],
): NewCommentRow[] {
  const atUnix = nowUnix(run.ctx.clock)
  const entry = (
    said: { readonly author: typeof review.author; readonly content: string; createdUnix: number; updatedUnix: number },
    more: Partial<NewCommentRow> & Pick<NewCommentRow, 'type'>,
  ): NewCommentRow => {
    const writer = writerOf(run, said.author)
    const createdUnix = timeOr(said.createdUnix, atUnix)
    return {
      tree_path: '',
      line: 0,
      patch: '',
      commit_sha: '',
      ...more,
      issue_id: issueId,
      review_id: reviewId,
      poster_id: writer.id,
      original_author: writer.originalAuthor,
      content: said.content,
      created_unix: createdUnix,
      updated_unix: timeOr(said.updatedUnix, createdUnix),
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
      }),
    ),
    entry(review, { type: 'review' }),
  ]
}

function pullRow({ repo, ...run }: FilledRun, issueId: IssueId, each: Measured): NewPullRow {
  const { pull, head } = each
  const merger = pull.mergedBy && writerOf({ ...run, repo } as FilledRun, pull.mergedBy)
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
    // Whether it can be merged is found out when it is first shown.
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
  run: FilledRun,
  pulls: readonly SourcePull[],
  numberBefore: number,
): Promise<readonly Measured[]> {
  const { ctx, repo } = run
  const fetched = new Map((await ctx.git.readRefs(repo.git_key, fetchedPulls)).map(({ name, oid }) => [name, oid]))
  const asked = pulls.flatMap(({ headCommit, baseCommit, mergeCommit }) => [headCommit, baseCommit, mergeCommit])
  const wanted = [...new Set(asked)].filter((oid) => oid.length === zeroOid(repo.object_format).length) as Oid[]
  const missing = new Set<string>(await ctx.git.missingObjects(repo.git_key, wanted))
  const known = (oid: string): Oid | undefined =>
    wanted.includes(oid as Oid) && !missing.has(oid) ? (oid as Oid) : undefined
  const measured = await mapLimited(pulls, parallelPulls, async (told): Promise<Measured | undefined> => {
    run.signal.throwIfAborted()
    const base = known(told.baseCommit) ?? (await ctx.git.readRef(repo.git_key, branchRef(told.baseBranch)))
    const head = known(told.headCommit) ?? fetched.get(`${fetchedPulls}${told.number}`)
    const anchor = head ?? base ?? (await ctx.git.readHead(repo.git_key)).oid
    const number = told.number + numberBefore
    if (anchor === undefined) {
      addNote(run, `pull request ${number} was left out: the repository has no commits`)
      return undefined
    }
    if (head === undefined) addNote(run, `the commits of pull request ${number} are gone over there`)
    const mergeBase = head && base ? await ctx.git.mergeBase(repo.git_key, base, head) : undefined
    const files =
      head && mergeBase && mergeBase !== head
        ? await ctx.git.diffFiles(repo.git_key, { base: mergeBase, head, signal: run.signal })
        : []
    const isClosed = told.isClosed || told.isMerged || head === undefined
    return {
      pull: { ...told, number, isClosed, mergeCommit: known(told.mergeCommit) ?? '' },
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

/** The references that keep the heads; they are there already when a page is written again after a crash. */
async function makeRefs({ ctx, repo }: FilledRun, measured: readonly Measured[]): Promise<void> {
  if (measured.length === 0) return
  const heads = new Map(measured.map(({ pull, head }) => [pullRef(pull.number), head]))
  const made = await ctx.git.updateRefs(
    repo.git_key,
    [...heads].map(([ref, head]) => ({ ref, old: undefined, new: head })),
  )
  if (!made.ok) throw new Error(`references of pull requests could not be made: ${made.message}`)
}
