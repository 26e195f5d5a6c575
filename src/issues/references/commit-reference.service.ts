import { setImmediate } from 'node:timers/promises'
import type { Ctx, SignedInCtx } from '../../access/context.ts'
import type { RepoAccess } from '../../access/repo-access.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { publish } from '../../events/hub.ts'
import type { Commit } from '../../git/git.ts'
import { escapeSegment } from '../../lib/escape-url.ts'
import type { Oid } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { branchOf, isZeroOid } from '../../lib/refs.ts'
import type { Attribution } from '../attribution.ts'
import { durationText } from '../time/duration.ts'
import { insertTimelineEntries, insertTimelineEntry } from '../timeline-entry.store.ts'
import { changeState, holdIssue } from '../issue-change.service.ts'
import { mayManage } from '../issue.policy.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { touchIssues } from '../issue.store.ts'
import { parseReferences } from './reference.parse.ts'
import { lookUpIssues, parseRules, referencesOf, type Reference } from './reference.service.ts'
import { listIssuesTellingOf, type BranchHead } from './reference.store.ts'
import { insertTrackedTime } from '../time/stopwatch.store.ts'

/** Most commits of one push whose messages are read, the newest ones. */
const maxCommits = 1000
/** Characters of messages that are parsed without a pause. */
const parsedAtOnce = 64 << 10

type Home = RepoWithOwner & RepoAccess

/** A push: its branch, its commits and the account. */
interface Push {
  readonly branch: string
  readonly old: Oid
  readonly new: Oid
}

/** Returns the commits of a push, oldest first; for a new branch, the commits that no other branch has. */
async function pushedCommits(
  ctx: Ctx,
  home: Home,
  push: Push,
  branches: readonly BranchHead[],
): Promise<readonly Commit[]> {
  const others = branches.filter(({ name }) => name !== push.branch)
  // Thousands of branches may have one head.
  const not = isZeroOid(push.old) ? [...new Set(pluck(others, 'commit_oid'))] : [push.old]
  const key = home.repo.git_key
  const gone = new Set(await ctx.git.missingObjects(key, [push.new, ...not]))
  if (gone.has(push.new)) return []
  return ctx.git.log(key, {
    from: [push.new],
    not: not.filter((oid) => !gone.has(oid)),
    limit: maxCommits,
    reverse: true,
  })
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;')

/** Returns the content of a timeline entry about a commit: a link with its first line (observed). */
function commitLink({ config }: Ctx, { repo, owner }: RepoWithOwner, commit: Commit): string {
  const path = `${config.server.subPath}/${escapeSegment(owner.name)}/${escapeSegment(repo.name)}/commit/${commit.oid}`
  const [title = ''] = commit.message.trim().split('\n', 1)
  return `<a href="${escapeHtml(path)}">${escapeHtml(title)}</a>`
}

/**
 * Returns whether a push to a branch closes and reopens the issues that it names: the branch of the issue, else the default
 * branch of the repository, or any branch when the setting says so.
 */
function countsFor(ctx: Ctx, home: Home, push: Push, issue: IssueRow): boolean {
  if (ctx.config.repository.defaultCloseIssuesViaCommitsInAnyBranch) return true
  const bound = branchOf(issue.ref) ?? issue.ref
  return push.branch === (bound === '' ? home.repo.default_branch : bound)
}

/** Closes or reopens an issue that the pusher opened or may write. An open dependency prevents it. */
async function keepPromise(tx: Tx, by: Attribution, reference: Reference, commit: Oid): Promise<void> {
  const { issue, rights, action, seconds } = reference
  if (action === 'none' || issue.is_pull || (issue.poster_id !== by.doerId && !mayManage(rights, issue).allowed)) return
  const isClosed = action === 'closes'
  const { kind } = await changeState(tx, by, await holdIssue(tx, issue), isClosed, 'close', commit)
  if (kind !== 'changed' || !isClosed || seconds <= 0) return
  const time = await insertTrackedTime(tx, {
    issue_id: issue.id,
    user_id: by.doerId,
    seconds,
    created_unix: by.atUnix,
  })
  await insertTimelineEntry(tx, by, issue.id, {
    type: 'add_time_manual',
    content: durationText(seconds),
    time_id: time.id,
  })
}

/** Adds a timeline entry to each issue that a commit names, once, and closes or reopens the issues as its message says. */
async function recordCommit(
  ctx: SignedInCtx,
  home: Home,
  push: Push,
  commit: Commit,
  by: Attribution,
  references: readonly Reference[],
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const recorded = await listIssuesTellingOf(
      tx,
      references.map(({ issue }) => issue.id),
      commit.oid,
    )
    const unrecorded = references.filter(({ issue }) => !recorded.has(issue.id))
    const entries = await insertTimelineEntries(
      tx,
      by,
      unrecorded.map(({ issue }) => ({
        issue_id: issue.id,
        type: 'commit_ref',
        content: commitLink(ctx, home, commit),
        commit_sha: commit.oid,
      })),
    )
    await touchIssues(
      tx,
      unrecorded.map(({ issue }) => issue.id),
      by.atUnix,
    )
    for (const [index, { issue }] of unrecorded.entries()) {
      await publish(tx, 'issue.referenced', {
        repoId: issue.repo_id,
        issueId: issue.id,
        doerId: by.doerId,
        isPull: issue.is_pull,
        commentId: (entries[index] as (typeof entries)[number]).id,
      })
    }
    for (const reference of references) {
      if (countsFor(ctx, home, push, reference.issue)) await keepPromise(tx, by, reference, commit.oid)
    }
  })
}

/** @param branches the branches of the repository */
export async function recordPush(
  ctx: SignedInCtx,
  home: Home,
  push: Push,
  branches: readonly BranchHead[],
  by: Attribution,
): Promise<void> {
  const rules = parseRules(ctx.config)
  const naming: { readonly commit: Commit; readonly issues: ReturnType<typeof parseReferences>['issues'] }[] = []
  let parsed = 0
  for (const commit of await pushedCommits(ctx, home, push, branches)) {
    const { issues } = parseReferences({ plain: [commit.message] }, rules)
    if (issues.length > 0) naming.push({ commit, issues })
    parsed += commit.message.length
    // Requests run between long messages.
    if (parsed >= parsedAtOnce) await setImmediate()
    parsed %= parsedAtOnce
  }
  if (naming.length === 0) return
  const lookUp = await lookUpIssues(
    { ...ctx, ...home },
    naming.flatMap(({ issues }) => issues),
  )
  for (const { commit, issues } of naming) {
    const references = referencesOf(issues, lookUp)
    if (references.length > 0) await recordCommit(ctx, home, push, commit, by, references)
  }
}
