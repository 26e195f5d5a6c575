import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { pathNumber } from '../../http/schema.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { Moved } from '../../lib/errors.ts'
import { plainSummary } from '../../markup/plain-summary.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { loadConversation } from './conversation.ts'
import { IssueView } from './issue.view.tsx'
import { integer, text } from '../ui/fields.ts'

/** An issue with its conversation. A pull request of this number redirects to its page. */
export const issuePage = page({
  path: '/{username}/{reponame}/issues/{index}',
  twin: 'issueGetIssue',
  cost: 'usual',
  params: { index: pathNumber },
  requires: [inRepo, issuesOrPullsEnabled],
  query: { before: integer, edit: text },
  frame: inRepositoryFrame('issues'),
  async load({ ctx, params, query }) {
    const issue = await getReadableIssue(ctx, params.index)
    if (issue.is_pull) throw new Moved(303, pathOf(ctx.owner.name, ctx.repo.name, 'pulls', issue.index))
    return loadConversation(ctx, issue, query)
  },
  meta: ({ issue, repository }) => ({
    title: `${issue.title} · #${issue.index} · ${repository.owner.name}/${repository.repo.name}`,
    description: plainSummary(issue.content),
    canonical: pathOf(repository.owner.name, repository.repo.name, 'issues', issue.index),
  }),
  view: IssueView,
})
