import type { Ctx } from '../access/context.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { ThreadRow } from '../db/tables/notifications.ts'
import { pluck } from '../lib/pluck.ts'
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

/** Returns threads as API records, in the given order, with a fixed number of queries. Threads without a subject are left out. */
export async function presentThreads(ctx: PresentCtx, rows: readonly ThreadRow[]): Promise<NotificationThread[]> {
  const issueIds = rows.flatMap((row) => (row.issue_id === null ? [] : [row.issue_id]))
  const [repos, issues, comments] = await Promise.all([
    loadRepos(ctx.db, pluck(rows, 'repo_id')),
    loadIssues(ctx.db, issueIds),
    loadLastComments(ctx.db, issueIds),
  ])
  // Loading views as a guest skips the permissions, which are expensive and not part of the record.
  const views = await loadViews({ ...ctx, viewer: undefined }, [...repos.values()])
  const presented = (await presentViews(ctx, views)).map(withoutPermissions)
  const shown = new Map(views.map((view, index) => [view.repo.id, { view, repository: presented[index] }]))
  return rows.flatMap((row) => {
    const found = shown.get(row.repo_id)
    const issue = row.issue_id === null ? undefined : issues.get(row.issue_id)
    // The subject has been deleted since the thread was read.
    if (!found?.repository || (row.issue_id !== null && !issue)) return []
    const context = { config: ctx.config, ...found.view }
    return [
      {
        id: row.id,
        repository: found.repository,
        subject: issue ? presentIssueSubject(context, issue, comments.get(issue.id)) : presentRepoSubject(context),
        unread: row.status === 'unread',
        pinned: row.status === 'pinned',
        updated_at: formatUnix(Math.floor(row.updated_ms / 1000)),
        url: `${ctx.config.server.rootUrl}api/v1/notifications/threads/${row.id}`,
        reason: row.reason,
      },
    ]
  })
}

export async function presentThread(ctx: PresentCtx, row: ThreadRow): Promise<NotificationThread | undefined> {
  const [thread] = await presentThreads(ctx, [row])
  return thread
}

/** Threads do not state the reader's permissions in the repository (observed). */
const withoutPermissions = (repository: Repository): Repository => ({
  ...repository,
  permissions: null,
  parent: repository.parent && { ...repository.parent, permissions: null },
})

type LinkContext = Pick<Ctx, 'config'> & RepoWithOwner

function presentIssueSubject(context: LinkContext, issue: IssueRow, last: CommentRow | undefined): NotificationSubject {
  return {
    title: issue.title,
    url: issueApiUrl(context, issue),
    html_url: issueWebUrl(context, issue),
    latest_comment_url: last ? `${repoApiUrl(context)}/issues/comments/${last.id}` : '',
    latest_comment_html_url: last ? commentUrls(context, issue, last.id).html_url : '',
    type: issue.is_pull ? 'Pull' : 'Issue',
    state: issue.merged_unix > 0 ? 'merged' : issue.is_closed ? 'closed' : 'open',
  }
}

function presentRepoSubject(context: LinkContext): NotificationSubject {
  const page = repoWebUrl(context)
  return {
    title: repoFullName(context),
    // The path of the page without the host (observed).
    url: new URL(page).pathname,
    html_url: page,
    latest_comment_url: '',
    latest_comment_html_url: '',
    type: 'Repository',
    state: '',
  }
}
