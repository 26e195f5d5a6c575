import { actorsOf, deploymentsOf, environmentsOf } from '../../actions/environments/environment.service.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { integer, text } from '../ui/fields.ts'
import { EnvironmentsView } from './environments.view.tsx'
import { actionsTexts as texts } from '../languages/texts.ts'

const pageSize = 30

/** The environments of a repository, or with `name` the deployments to one. */
export const environmentsPage = page({
  path: '/{username}/{reponame}/actions/environments',
  twin: 'listEnvironments',
  cost: 'usual',
  requires: [inRepo, canRead('actions'), gitRepo],
  query: { page: integer, name: text },
  frame: inRepositoryFrame('actions'),
  async load({ ctx, query }) {
    const { owner, repo } = ctx
    const number = Math.max(1, query.page ?? 1)
    const shown = { number, limit: pageSize, offset: (number - 1) * pageSize }
    const { name = '' } = query
    const environments = name === '' ? await environmentsOf(ctx, shown) : undefined
    const deployments = name === '' ? undefined : await deploymentsOf(ctx, { environment: name }, shown)
    const rows = deployments?.rows ?? environments?.rows.map(({ newest }) => newest) ?? []
    const actors = await actorsOf(ctx, rows)
    const total = deployments?.total ?? environments?.total ?? 0
    return {
      owner,
      repo,
      name,
      number,
      rows,
      counts: environments?.rows.map(({ count }) => count),
      actors,
      isLast: number * pageSize >= total,
    }
  },
  meta: (_data, { ctx }) => ({
    title: texts.environments.titleOf(`${ctx.owner.name}/${ctx.repo.name}`),
    withFurtherStyles: true,
  }),
  view: EnvironmentsView,
})
