import { Type } from 'typebox'
import type { RepoCtx } from '../../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../../access/repo.requirements.ts'
import { getContributions } from '../../../code/commits/contributor.service.ts'
import { findNamedCommit } from '../../../code/commits/named-commit.service.ts'
import { enumeration } from '../../../http/schema.ts'
import { getPulse } from '../../../issues/lists/pulse.service.ts'
import { nowUnix } from '../../../lib/time.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { page } from '../../shell/page.tsx'
import { ActivityView, ContributorsView, periods } from './activity.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

const daySeconds = 86_400

/** The commit of the default branch; undefined when it does not exist. */
const defaultCommit = async (ctx: RepoCtx) =>
  ctx.repo.is_empty ? undefined : (await findNamedCommit(ctx.git, ctx.repo.git_key, ctx.repo.default_branch))?.commit

export const activityPage = page({
  path: '/{username}/{reponame}/activity',
  twin: null,
  query: { days: Type.Optional(enumeration('1', '7', '30', '90', '365')) },
  requires: [inRepo, gitRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('activity'),
  async load({ ctx, query }) {
    const days = periods.find((period) => String(period) === query.days) ?? 7
    const sinceUnix = nowUnix(ctx.clock) - days * daySeconds
    const head = await defaultCommit(ctx)
    const [pulse, contributions] = await Promise.all([
      getPulse(ctx, sinceUnix),
      head === undefined ? undefined : getContributions(ctx, head, sinceUnix),
    ])
    return { repository: { owner: ctx.owner, repo: ctx.repo }, days, pulse, contributions }
  },
  meta: ({ repository }) => ({
    title: `${texts.activity} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
  }),
  view: ActivityView,
})

export const contributorsPage = page({
  path: '/{username}/{reponame}/graphs/contributors',
  twin: null,
  requires: [inRepo, gitRepo, canRead('code')],
  cost: 'expensive',
  frame: inRepositoryFrame('activity'),
  async load({ ctx }) {
    const head = await defaultCommit(ctx)
    return {
      repository: { owner: ctx.owner, repo: ctx.repo },
      branch: ctx.repo.default_branch,
      contributions: head === undefined ? undefined : await getContributions(ctx, head),
    }
  },
  meta: ({ repository }) => ({
    title: `${texts.contributors} · ${repository.owner.name}/${repository.repo.name}`,
    isUnlisted: true,
  }),
  view: ContributorsView,
})
