import type { RepoCtx } from '../../../access/context.ts'
import { inRepo } from '../../../access/repo.requirements.ts'
import { anyone } from '../../../access/requirements.ts'
import { pageQuery } from '../../../http/schema.ts'
import type { Page } from '../../../lib/paging.ts'
import { forksOn } from '../../../repos/lifecycle/fork.requirements.ts'
import { listForksWithOwners } from '../../../repos/lists/repo-list.service.ts'
import { starsOn } from '../../../repos/social/star.requirements.ts'
import { stargazersOf } from '../../../repos/social/star.service.ts'
import { watchersOf } from '../../../repos/social/watch.service.ts'
import type { PeoplePage } from '../../../users/people-count.store.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { repositoryPath } from '../code-paths.ts'
import { ForksView, PeopleView, type PeopleProps } from './people.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

/** Rows on one page. */
const pageSize = 30

const pageAt = (number = 1): Page => {
  const from = Math.max(1, number)
  return { number: from, limit: pageSize, offset: (from - 1) * pageSize }
}

async function people(
  ctx: RepoCtx,
  kind: PeopleProps['kind'],
  list: (ctx: RepoCtx, page: Page) => Promise<PeoplePage>,
  number: number | undefined,
): Promise<PeopleProps> {
  const wantedPage = pageAt(number)
  const { users, total } = await list(ctx, wantedPage)
  return {
    repository: { owner: ctx.owner, repo: ctx.repo },
    kind,
    users,
    page: { number: wantedPage.number, total, pageSize },
  }
}

export const starsPage = page({
  path: '/{username}/{reponame}/stars',
  twin: 'repoListStargazers',
  cost: 'usual',
  query: { page: pageQuery.page },
  requires: [anyone, starsOn, inRepo],
  frame: inRepositoryFrame(undefined),
  load: ({ ctx, query }) => people(ctx, 'stars', stargazersOf, query.page),
  meta: ({ repository }) => ({
    title: `${texts.stargazers} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
  }),
  view: PeopleView,
})

export const watchersPage = page({
  path: '/{username}/{reponame}/watchers',
  twin: 'repoListSubscribers',
  cost: 'usual',
  query: { page: pageQuery.page },
  requires: [inRepo],
  frame: inRepositoryFrame(undefined),
  load: ({ ctx, query }) => people(ctx, 'watchers', watchersOf, query.page),
  meta: ({ repository }) => ({
    title: `${texts.watchersTitle} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
  }),
  view: PeopleView,
})

export const forksPage = page({
  path: '/{username}/{reponame}/forks',
  twin: 'listForks',
  cost: 'usual',
  query: { page: pageQuery.page },
  requires: [anyone, forksOn, inRepo],
  frame: inRepositoryFrame(undefined),
  async load({ ctx, query }) {
    const wantedPage = pageAt(query.page)
    const { forks, total } = await listForksWithOwners(ctx, ctx.repo, wantedPage)
    return {
      repository: { owner: ctx.owner, repo: ctx.repo },
      forks,
      page: { number: wantedPage.number, total, pageSize },
      mayFork: ctx.viewer !== undefined,
    }
  },
  meta: ({ repository }) => ({
    title: `${texts.forks} · ${repository.owner.name}/${repository.repo.name}`,
    canonical: repositoryPath(repository, 'forks'),
    isUnlisted: true,
  }),
  view: ForksView,
})
