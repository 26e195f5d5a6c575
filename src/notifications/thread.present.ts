import type { Ctx } from '../access/context.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { ThreadRow } from '../db/tables/notifications.ts'
import { formatUnix } from '../lib/time.ts'
import { commentUrls } from '../issues/comments/comment.present.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { issueApiUrl, issueWebUrl, type RepoWithOwner } from '../issues/repo-with-owner.ts'
import { loadViews, presentViews } from '../repos/repo.present.ts'
import type { Repository } from '../repos/repo.schemas.ts'
import { repoApiUrl, repoFullName, repoWebUrl } from '../repos/repo-url.ts'
import { loadRepos } from '../repos/repo.store.ts'
import type { NotificationSubject, NotificationThread } from './thread.schemas.ts'
import { loadLastComments } from './thread.store.ts'

type PresentCtx = Pick<Ctx, 'config' | 'viewer' | 'db'>

/** Threads as the API shows them, in the order given; a fixed number of queries however many there are. */
export async function presentThreads(ctx: PresentCtx, rows: readonly ThreadRow[]): Promise<NotificationThread[]> {
  const issueIds = rows.flatMap((row) => (row.issue_id === null ? [] : [row.issue_id]))
  const [repos, issues, comments] = await Promise.all([
    loadRepos(
      ctx.db,
      rows.map((row) => row.repo_id),
    ),
    loadIssues(ctx.db, issueIds),
    loadLastComments(ctx.db, issueIds),
  ])
  // As a guest, since what the reader may do there is not shown and costs the most.
  const views = await loadViews({ ...ctx, viewer: undefined }, [...repos.values()])
  const presented = (await presentViews(ctx, views)).map(withoutPermissions)
  const shown = new Map(views.map((view, index) => [view.repo.id, { view, repository: presented[index] }]))
  return rows.flatMap((row) => {
    const found = shown.get(row.repo_id)
    const issue = row.issue_id === null ? undefined : issues.get(row.issue_id)
    // Its subject was deleted since the thread was read.
    if (!found?.repository || (row.issue_id !== null && !issue)) return []
    const place = { config: ctx.config, ...found.view }
    return [
      {
        id: row.id,
        repository: found.repository,
        subject: issue ? presentIssueSubject(place, issue, comments.get(issue.id)) : presentRepoSubject(place),
        unread: row.status === 'unread',
        pinned: row.status === 'pinned',
        updated_at: formatUnix(Math.floor(row.updated_ms / 1000)),
        url: `${ctx.config.server.rootUrl}api/v1/notifications/threads/${row.id}`,
      },
    ]
  })
}

export async function presentThread(ctx: PresentCtx, row: ThreadRow): Promise<NotificationThread | undefined> {
  const [thread] = await presentThreads(ctx, [row])
  return thread
}

/** What the reader may do in the repository is not said here (observed). */
const withoutPermissions = (repository: Repository): Repository => ({
  ...repository,
  permissions: null,
  parent: repository.parent && { ...repository.parent, permissions: null },
})

type LinkContext = Pick<Ctx, 'config'> & RepoWithOwner

function presentIssueSubject(place: LinkContext, issue: IssueRow, last: CommentRow | undefined): NotificationSubject {
  return {
    title: issue.title,
    url: issueApiUrl(place, issue),
    html_url: issueWebUrl(place, issue),
    latest_comment_url: last ? `${repoApiUrl(place)}/issues/comments/${last.id}` : '',
    latest_comment_html_url: last ? commentUrls(place, issue, last.id).html_url : '',
    type: issue.is_pull ? 'Pull' : 'Issue',
    state: issue.merged_unix > 0 ? 'merged' : issue.is_closed ? 'closed' : 'open',
  }
}

function presentRepoSubject(place: LinkContext): NotificationSubject {
  const page = repoWebUrl(place)
  return {
    title: repoFullName(place),
    // The address of its page without the host (observed).
    url: new URL(page).pathname,
    html_url: page,
    latest_comment_url: '',
    latest_comment_html_url: '',
    type: 'Repository',
    state: '',
  }
}
