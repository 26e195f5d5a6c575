import { Type } from 'typebox'
import { siteAdmin } from '../../access/requirements.ts'
import { instanceScope } from '../../actions/queue-scope.ts'
import {
  endRegistrationToken,
  removeRunner,
  setRegistrationEnabled,
  type RunnerOwner,
} from '../../actions/runners/runner-control.service.ts'
import { pageQuery } from '../../http/schema.ts'
import { loadRunners, makeRunnerToken } from '../frames/runners.ts'
import { RunnerSection } from '../frames/runners.view.tsx'
import { texts as shared } from '../frames/secrets.texts.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { PageHead } from '../ui/parts.tsx'
import { inAdministration } from './administration-frame.tsx'
import { texts } from './texts.tsx'

const to = '/admin/actions/runners'
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

export const administrationNewRunnerToken = act({
  path: '/admin/actions/runners/token',
  requires: [siteAdmin],
  outlivesCredential: true,
  run: async ({ ctx }) => ({ to, cookies: await makeRunnerToken(ctx, owner) }),
})

export const administrationEndRunnerToken = act({
  path: '/admin/actions/runners/token/delete',
  requires: [siteAdmin],
  async run({ ctx }) {
    await endRegistrationToken(ctx, owner)
    return { to, notice: shared.tokenEnded }
  },
})

export const administrationRunnerRegistration = act({
  path: '/admin/actions/runners/registration',
  requires: [siteAdmin],
  fields: { is_active: Type.Optional(Type.Boolean()) },
  async run({ ctx, body }) {
    await setRegistrationEnabled(ctx, owner, body.is_active === true)
    return { to, notice: shared.registrationSaved }
  },
})

export const administrationDeleteRunner = act({
  path: '/admin/actions/runners/delete',
  requires: [siteAdmin],
  fields: { id: Type.Optional(Type.Integer()) },
  async run({ ctx, body }) {
    await removeRunner(ctx, owner, body.id ?? 0)
    return { to, notice: shared.runnerRemoved }
  },
})
