import type { Ctx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueRow, LabelRow } from '../db/tables/issues.ts'
import type { UserId } from '../lib/ids.ts'
import { formatOptionalUnix, formatUnix } from '../lib/time.ts'
import { presentAuthor, presentUser } from '../users/user.present.ts'
import { loadUsers } from '../users/user.store.ts'
import { presentAttachment } from './attachment.present.ts'
import { issueApiUrl, issueWebUrl, type RepoWithOwner } from './repo-with-owner.ts'
import type { Issue, PullRequestMeta } from './issue.schemas.ts'
import { loadReposWithOwners } from './repo-with-owner.store.ts'
import { listAssigneesOf, listFilesOf, loadLabelsOf, loadMilestones } from './issue.store.ts'
import { presentLabel } from './label.present.ts'
import { presentMilestone } from './milestone.present.ts'
import { isDraftTitle } from './title.rules.ts'

type PresentCtx = Pick<Ctx, 'config' | 'viewer' | 'db'>

/**
 * Issues and pull requests as the API shows them: one query each for labels, assignees, milestones, files and accounts,
 * and two more when there are repositories that are not `known`.
 */
export async function presentIssues(
  ctx: PresentCtx,
  rows: readonly IssueRow[],
  known: readonly RepoWithOwner[] = [],
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const [labels, assignees, milestones, files, reposWithOwners] = await Promise.all([
    loadLabelsOf(ctx.db, ids),
    listAssigneesOf(ctx.db, ids),
    loadMilestones(
      ctx.db,
      rows.map((row) => row.milestone_id),
    ),
    listFilesOf(ctx.db, ids),
    loadReposWithOwners(
      ctx.db,
      rows.map((row) => row.repo_id),
      known,
    ),
  ])
  const users = await loadUsers(ctx.db, [...rows.map((row) => row.poster_id), ...assignees.map((row) => row.user_id)])
  const only = reposWithOwners.size === 1 ? [...reposWithOwners.values()][0] : undefined
  const labelOf = memo((label: LabelRow) => presentLabel(ctx, only as RepoWithOwner, label))
  const milestoneOf = memo(presentMilestone)
  const posterOf = memo((id: UserId) => presentAuthor(ctx, users.get(id)))
  // People who are assigned are shown as a guest sees them, whoever asks (observed).
  const assigneeOf = memo((id: UserId) => presentAuthor({ config: ctx.config, viewer: undefined }, users.get(id)))
  const assigneesOf = Map.groupBy(assignees, (row) => row.issue_id)
  const filesOf = Map.groupBy(files, (file) => file.issue_id)
  return rows.flatMap((row) => {
    const repoWithOwner = reposWithOwners.get(row.repo_id)
    if (!repoWithOwner) return []
    const milestone = row.milestone_id === null ? undefined : milestones.get(row.milestone_id)
    const assigned = (assigneesOf.get(row.id) ?? [])
      .filter(({ user_id: id }) => users.has(id))
      .map(({ user_id: id }) => assigneeOf(id))
    return [
      {
        id: row.id,
        url: issueApiUrl(ctx, repoWithOwner, row),
        html_url: issueWebUrl(ctx, repoWithOwner, row),
        number: row.index,
        user: posterOf(row.poster_id),
        original_author: row.original_author,
        original_author_id: 0,
        title: row.title,
        body: row.content,
        ref: row.ref,
        assets: (filesOf.get(row.id) ?? []).map((file) => presentAttachment(ctx, file)),
        labels: (labels.get(row.id) ?? []).map(
          repoWithOwner === only ? labelOf : (label) => presentLabel(ctx, repoWithOwner, label),
        ),
        milestone: milestone ? milestoneOf(milestone) : null,
        assignee: assigned[0] ?? null,
        assignees: assigned.length > 0 ? assigned : null,
        state: row.is_closed ? 'closed' : 'open',
        is_locked: row.is_locked,
        comments: row.num_comments,
        created_at: formatUnix(row.created_unix),
        updated_at: formatUnix(row.updated_unix),
        closed_at: row.is_closed ? formatOptionalUnix(row.closed_unix) : null,
        due_date: formatOptionalUnix(row.due_unix),
        pull_request: row.is_pull ? presentPullMeta(ctx, repoWithOwner, row) : null,
        repository: {
          id: repoWithOwner.repo.id,
          name: repoWithOwner.repo.name,
          owner: repoWithOwner.owner.name,
          full_name: `${repoWithOwner.owner.name}/${repoWithOwner.repo.name}`,
        },
        pin_order: row.pin_order,
      },
    ]
  })
}

/** The function with what it gave remembered. */
function memo<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

const remembered = new WeakMap<object, Map<string, unknown>>()

/**
 * While nothing was committed the database gives the same rows again (`preparedQuery`), frozen; then the same answer is
 * given to the same viewer, frozen too, so that it is encoded once.
 */
async function rememberedFor<Answer>(
  { viewer }: PresentCtx,
  rows: object,
  make: () => Promise<Answer>,
): Promise<Answer> {
  if (!Object.isFrozen(rows)) return make()
  const key = viewer ? `${viewer.id} ${viewer.isAdmin}` : 'guest'
  const answers = remembered.get(rows) ?? new Map<string, unknown>()
  remembered.set(rows, answers)
  const answer = Object.freeze((answers.get(key) as Answer | undefined) ?? (await make()))
  answers.set(key, answer)
  return answer
}

/** One page of the issues of a repository. */
export const presentIssuePage = (
  ctx: PresentCtx,
  rows: readonly IssueRow[],
  repoWithOwner: RepoWithOwner,
): Promise<Issue[]> => rememberedFor(ctx, rows, () => presentIssues(ctx, rows, [repoWithOwner]))

const presentPullMeta = (ctx: PresentCtx, repoWithOwner: RepoWithOwner, row: IssueRow): PullRequestMeta => ({
  merged: row.merged_unix > 0,
  merged_at: formatOptionalUnix(row.merged_unix),
  draft: isDraftTitle(row.title, ctx.config.repositoryPullRequest.workInProgressPrefixes),
  html_url: issueWebUrl(ctx, repoWithOwner, row),
})

export async function presentIssue(ctx: PresentCtx, row: IssueRow, known: RepoWithOwner): Promise<Issue> {
  const [issue] = await presentIssues(ctx, [row], [known])
  return issue as Issue
}

/** An issue that was read and not changed. */
export const presentReadIssue = (ctx: PresentCtx, row: IssueRow, known: RepoWithOwner): Promise<Issue> =>
  rememberedFor(ctx, row, () => presentIssue(ctx, row, known))

/** What stands for an issue that the viewer may know of but not see (contract, dependencies). */
export const hiddenIssue: Issue = {
  id: 0,
  url: '',
  html_url: '',
  number: 0,
  user: null,
  original_author: '',
  original_author_id: 0,
  title: 'HIDDEN',
  body: '',
  ref: '',
  assets: [],
  labels: null,
  milestone: null,
  assignee: null,
  assignees: null,
  state: 'open',
  is_locked: false,
  comments: 0,
  created_at: formatUnix(0),
  updated_at: formatUnix(0),
  closed_at: null,
  due_date: null,
  pull_request: null,
  repository: null,
  pin_order: 0,
}

/** Accounts as the viewer sees them. */
export const presentUsers = (ctx: PresentCtx, users: readonly UserRow[]) => users.map((user) => presentUser(ctx, user))

/** Issues of a list in which the viewer may not see all: whole, an outline of it for writers, or a placeholder. */
export async function presentSeenIssues(
  ctx: PresentCtx,
  seen: readonly { readonly row: IssueRow; readonly sight: 'whole' | 'outline' | 'hidden' }[],
  known: readonly RepoWithOwner[],
): Promise<Issue[]> {
  const rows = seen.filter(({ sight }) => sight !== 'hidden').map(({ row }) => row)
  const shown = new Map((await presentIssues(ctx, rows, known)).map((issue) => [issue.id, issue]))
  return seen.map(({ row, sight }) => {
    const whole = shown.get(row.id)
    if (!whole || sight === 'hidden') return hiddenIssue
    if (sight === 'whole') return whole
    const { number, title, state, repository } = whole
    return { ...hiddenIssue, number, title, state, repository }
  })
}
