import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getRefChoice } from '../../../code/branches/ref-choice.service.ts'
import { listCommits } from '../../../code/commits/commit.service.ts'
import { viewCommits } from '../../../code/statuses/commit-view.service.ts'
import { pageQuery } from '../../../http/schema.ts'
import { Moved } from '../../../lib/errors.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { branchFeedPath, revisionAt, revisionPath } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { CommitsView } from './commits.view.tsx'
import { messageBody, subjectOf } from '../../../code/commits/message.rules.ts'

/** Commits on one page; the history of a path has this size too. */
const pageSize = 50

/** Leads to the commits of the default branch. */
export const defaultCommitsPage = page({
  path: '/{username}/{reponame}/commits',
  twin: 'repoGetAllCommits',
  cost: 'usual',
  requires: [inRepo, canRead('code'), gitRepo],
  load({ ctx: { owner, repo } }): Promise<Record<never, never>> {
    throw new Moved(303, pathOf(owner.name, repo.name, 'commits', 'branch', repo.default_branch))
  },
  // `load` always leads away.
  meta: () => ({ title: '' }),
  view: () => <></>,
})

export const commitsPage = page({
  path: '/{username}/{reponame}/commits/{filepath+}',
  twin: 'repoGetAllCommits',
  query: { page: pageQuery.page },
  requires: [inRepo, canRead('code'), gitRepo],
  cost: 'expensive',
  frame: inRepositoryFrame('code'),
  async load({ ctx, params, query }) {
    const { revision, treePath: path } = await revisionAt(ctx, 'commits', params.filepath)
    const number = Math.max(1, query.page ?? 1)
    const slice = { number, limit: pageSize, offset: (number - 1) * pageSize }
    const history = { revision: revision.commit, path, not: undefined }
    const [{ commits, total }, refs] = await Promise.all([listCommits(ctx, history, slice), getRefChoice(ctx)])
    return {
      repository: { owner: ctx.owner, repo: ctx.repo },
      revision,
      path,
      refs,
      views: await viewCommits(ctx, commits),
      page: { number, total, pageSize },
    }
  },
  meta: ({ repository, revision, path }) => ({
    title: `Commits${path === '' ? '' : ` to ${path}`} · ${repository.owner.name}/${repository.repo.name}`,
    canonical: revisionPath(repository, 'commits', revision, path),
    ...(revision.kind === 'branch'
      ? {
          feeds: [
            { to: branchFeedPath(repository, revision.name, path), type: 'atom', title: texts.feedOf(revision.name) },
          ],
        }
      : {}),
    isUnlisted: true,
  }),
  messages: ({ views }) => views.flatMap(({ commit }) => [subjectOf(commit.message), messageBody(commit.message)]),
  view: CommitsView,
})
