import { siteAdmin } from '../../../access/requirements.ts'
import { instanceScope } from '../../../actions/queue-scope.ts'
import type { RunnerOwner } from '../../../actions/runners/runner-control.service.ts'
import { pageQuery } from '../../../http/schema.ts'
import { runnerActs } from '../../shared/runners/runner-acts.ts'
import { loadRunners } from '../../shared/runners/runners.ts'
import { RunnerSection } from '../../shared/runners/runners.view.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'

const owner: RunnerOwner = { scope: instanceScope, name: 'the instance' }

const RunnersView = (props: Parameters<typeof RunnerSection>[0]) => (
  <>
    <PageHead title={texts.runners} lead={texts.runnersLead} />
    <RunnerSection {...props} isOfInstance />
  </>
)

/** Shows the runners that serve every repository. */
export const administrationRunnersPage = page({
  path: '/admin/actions/runners',
  twin: 'adminListRunners',
  cost: 'usual',
  isSecret: true,
  requires: [inSession, siteAdmin],
  query: pageQuery,
  frame: inAdministration('runners'),
  load: async ({ ctx, query, call }) => ({
    ...(await loadRunners(ctx, owner, query, call)),
    path: '/admin/actions',
  }),
  meta: () => ({ title: texts.runners, isUnlisted: true }),
  view: RunnersView,
})

export const {
  newToken: administrationNewRunnerToken,
  endToken: administrationEndRunnerToken,
  setRegistration: administrationRunnerRegistration,
  deleteRunner: administrationDeleteRunner,
} = runnerActs({
  twins: 'admin',
  path: '/admin/actions',
  requires: [siteAdmin],
  ownerOf: () => owner,
  listPathOf: () => '/admin/actions/runners',
})
