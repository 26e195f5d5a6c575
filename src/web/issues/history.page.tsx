import type { RepoCtx } from '../../access/context.ts'
import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { pathNumber } from '../../http/schema.ts'
import { getCommentOf } from '../../issues/comments/comment.service.ts'
import { getHistory } from '../../issues/history.service.ts'
import { getReadableIssue, noIssue } from '../../issues/issue.service.ts'
import type { CommentId } from '../../lib/ids.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { HistoryView, type HistoryProps } from './history.view.tsx'
import { issueTexts } from '../languages/texts.ts'

const loadHistory = async (ctx: RepoCtx, issue: IssueRow, comment?: CommentRow): Promise<HistoryProps> => ({
  repository: { repo: ctx.repo, owner: ctx.owner },
  issue,
  comment,
  versions: await getHistory(ctx, issue, comment),
})

/** The versions of the text of an issue. */
export const issueHistoryPage = page({
  path: '/{username}/{reponame}/issues/{index}/history',
  twin: null,
  cost: 'usual',
  params: { index: pathNumber },
  requires: [inRepo, issuesOrPullsEnabled],
  frame: inRepositoryFrame('issues'),
  load: async ({ ctx, params }) => loadHistory(ctx, await getReadableIssue(ctx, params.index)),
  meta: ({ issue }) => ({ title: issueTexts.history.title(issue.index), isUnlisted: true }),
  view: HistoryView,
})

/** The versions of a comment. */
export const commentHistoryPage = page({
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/history',
  twin: null,
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  requires: [inRepo, issuesOrPullsEnabled],
  frame: inRepositoryFrame('issues'),
  async load({ ctx, params }) {
    const { issue, comment } = await getCommentOf(ctx, params.id as CommentId)
    if (issue.index !== params.index) throw noIssue()
    return loadHistory(ctx, issue, comment)
  },
  meta: ({ issue }) => ({ title: issueTexts.history.title(issue.index), isUnlisted: true }),
  view: HistoryView,
})
