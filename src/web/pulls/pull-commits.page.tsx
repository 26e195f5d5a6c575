import { pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { listPullCommits } from '../../pulls/diff.service.ts'
import { viewCommits } from '../../code/statuses/commit-view.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { loadPull, readsPull } from './pull-page.ts'
import { PullCommitsView } from './pull-commits.view.tsx'
import { integer } from '../ui/fields.ts'
import { subjectOf } from '../../code/commits/message.rules.ts'

/** The commits of a pull request, newest first. */
export const pullCommitsPage = page({
  path: '/{username}/{reponame}/pulls/{index}/commits',
  twin: 'repoGetPullRequestCommits',
  requires: readsPull,
  params: { index: pathNumber },
  query: { page: integer },
  cost: 'expensive',
  frame: inRepositoryFrame('pulls'),
  async load({ ctx, params, query }) {
    const shared = await loadPull(ctx, params.index)
    const shownPage = pageOf({ page: query.page, limit: 50 }, ctx.config.api)
    const { commits, total } = await listPullCommits(ctx, shared.view.pair, shownPage)
    return {
      ...shared,
      commits: await viewCommits(ctx, commits),
      total,
      page: shownPage,
    }
  },
  meta: ({ view }) => ({
    title: `Commits · ${view.pair.issue.title} · #${view.pair.issue.index}`,
    withFurtherStyles: true,
  }),
  messages: ({ commits }) => commits.map(({ commit }) => subjectOf(commit.message)),
  view: PullCommitsView,
})
