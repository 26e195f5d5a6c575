import type { Ctx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { AttachmentRow, IssueRow } from '../db/tables/issues.ts'
import type { UserId } from '../lib/ids.ts'
import { formatOptionalUnix, formatUnix } from '../lib/time.ts'
import { presentAuthor, presentUser } from '../users/user.present.ts'
import { presentAttachment } from '../attachments/attachment.present.ts'
import { issueApiUrl, issueWebUrl, type RepoWithOwner } from './repo-with-owner.ts'
import type { Issue, PullRequestMeta } from './issue.schemas.ts'
import { loadReposWithOwners } from './repo-with-owner.store.ts'
import { loadAroundIssues, type AroundIssues } from './issue.store.ts'
import { presentLabel } from './labels/label.present.ts'
import { presentMilestone } from './milestones/milestone.present.ts'
import { isDraftTitle } from './title.rules.ts'

export type PresentCtx = Pick<Ctx, 'config' | 'viewer' | 'db'>

type SharedMember = 'user' | 'labels' | 'milestone' | 'assignee' | 'assignees' | 'repository'

/** Presents issues and pull requests. One set of queries loads the related rows of all of them. */
export async function presentIssues(
  ctx: PresentCtx,
  rows: readonly IssueRow[],
  known: readonly RepoWithOwner[] = [],
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const [around, reposWithOwners] = await Promise.all([
    loadAroundIssues(ctx.db, rows),
    loadReposWithOwners(
      ctx.db,
      rows.map((row) => row.repo_id),
      known,
    ),
  ])
  const present = presenterOf(ctx, around)
  return rows.flatMap((row) => {
    const repoWithOwner = reposWithOwners.get(row.repo_id)
    return repoWithOwner ? [{ ...present.own(row, repoWithOwner), ...present.shared(row, repoWithOwner) }] : []
  })
}

/** Returns a function that presents an issue in two parts: its own data, and the data that other issues may share. */
export const presenterOf = (ctx: Omit<PresentCtx, 'db'>, around: AroundIssues) => ({
  own: (row: IssueRow, repoWithOwner: RepoWithOwner) =>
    presentOwn(ctx, row, repoWithOwner, around.files.get(row.id) ?? []),
  shared: sharedMembers(ctx, around),
})

const presentOwn = (
  ctx: Pick<Ctx, 'config'>,
  row: IssueRow,
  repoWithOwner: RepoWithOwner,
  files: readonly AttachmentRow[],
): Omit<Issue, SharedMember> => ({
  id: row.id,
  url: issueApiUrl({ config: ctx.config, ...repoWithOwner }, row),
  html_url: issueWebUrl({ config: ctx.config, ...repoWithOwner }, row),
  number: row.index,
  original_author: row.original_author,
  original_author_id: 0,
  title: row.title,
  body: row.content,
  ref: row.ref,
  assets: files.map((file) => presentAttachment(ctx, file)),
  state: row.is_closed ? 'closed' : 'open',
  is_locked: row.is_locked,
  comments: row.num_comments,
  created_at: formatUnix(row.created_unix),
  updated_at: formatUnix(row.updated_unix),
  closed_at: row.is_closed ? formatOptionalUnix(row.closed_unix) : null,
  due_date: formatOptionalUnix(row.due_unix),
  pull_request: row.is_pull ? presentPullMeta(ctx, repoWithOwner, row) : null,
  pin_order: row.pin_order,
})

function sharedMembers(
  ctx: Omit<PresentCtx, 'db'>,
  { labels, assignees, milestones, users }: AroundIssues,
): (row: IssueRow, repoWithOwner: RepoWithOwner) => Pick<Issue, SharedMember> {
  const posterOf = memo((id: UserId) => presentAuthor(ctx, users.get(id)))
  // Assignees appear as a guest sees them, for every viewer (observed).
  const assigneeOf = memo((id: UserId) => presentAuthor({ config: ctx.config, viewer: undefined }, users.get(id)))
  return (row, repoWithOwner) => {
    const { repo, owner } = repoWithOwner
    const milestone = row.milestone_id === null ? undefined : milestones.get(row.milestone_id)
    const people = (assignees.get(row.id) ?? []).filter((id) => users.has(id)).map(assigneeOf)
    return {
      user: posterOf(row.poster_id),
      labels: (labels.get(row.id) ?? []).map((label) => presentLabel({ config: ctx.config, ...repoWithOwner }, label)),
      milestone: milestone ? presentMilestone(milestone) : null,
      assignee: people[0] ?? null,
      assignees: people.length > 0 ? people : null,
      repository: {
        id: repo.id,
        name: repo.name,
        owner: owner.name,
        full_name: `${owner.name}/${repo.name}`,
      },
    }
  }
}

/** Returns the function with its results cached by argument. */
function memo<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

const presentPullMeta = (ctx: Pick<Ctx, 'config'>, repoWithOwner: RepoWithOwner, row: IssueRow): PullRequestMeta => ({
  merged: row.merged_unix > 0,
  merged_at: formatOptionalUnix(row.merged_unix),
  draft: isDraftTitle(row.title, ctx.config.repositoryPullRequest.workInProgressPrefixes),
  html_url: issueWebUrl({ config: ctx.config, ...repoWithOwner }, row),
})

export async function presentIssue(ctx: PresentCtx, row: IssueRow, known: RepoWithOwner): Promise<Issue> {
  const [issue] = await presentIssues(ctx, [row], [known])
  return issue as Issue
}

/** The placeholder for an issue that the viewer may know to exist but may not read (contract, dependencies). */
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

/** Presents accounts as the viewer sees them. */
export const presentUsers = (ctx: PresentCtx, users: readonly UserRow[]) => users.map((user) => presentUser(ctx, user))

/** Presents issues that the viewer may not all read: each in full, as an outline for writers, or as a placeholder. */
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
