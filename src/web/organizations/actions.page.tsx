import { scopeOfAccount } from '../../actions/queue-scope.ts'
import { valuesOfAccount } from '../../actions/value-owner.ts'
import { pageQuery } from '../../http/schema.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { runnerActs } from '../shared/runners/runner-acts.ts'
import { loadRunners } from '../shared/runners/runners.ts'
import { RunnerSection } from '../shared/runners/runners.view.tsx'
import { loadValues } from '../shared/secrets/secrets.ts'
import { ValueSections } from '../shared/secrets/secrets.view.tsx'
import { valuePages } from '../shared/secrets/value-pages.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { page } from '../shell/page.tsx'
import { PageHead } from '../ui/parts.tsx'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath, type OwnerCtx } from './settings-frame.tsx'
import { organizationSettingsTexts as settings } from '../languages/texts.ts'

const actionsPath = (ctx: Pick<OwnerCtx, 'org'>) => orgSettingsPath(ctx, 'actions')
const valuesOf = ({ org }: Pick<OwnerCtx, 'org'>) => valuesOfAccount(org.id)
const runnersOf = ({ org }: Pick<OwnerCtx, 'org'>) => ({ scope: scopeOfAccount(org.id), name: org.name })
const holder = { path: '/org/{org}/settings/actions', requires: [inOrg, orgOwner], listPathOf: actionsPath } as const
const frame = inOrgSettings('actions')

type ActionsProps = Parameters<typeof ValueSections>[0] & Parameters<typeof RunnerSection>[0]

const ActionsView = (props: ActionsProps) => (
  <>
    <PageHead title={settings.parts.actions} />
    <ValueSections {...props} />
    <RunnerSection {...props} />
  </>
)

/** Shows secrets, variables and runners of an organization. */
export const orgActionsPage = page({
  path: holder.path,
  twin: 'orgListActionsSecrets',
  cost: 'usual',
  requires: [inSession, ...holder.requires],
  isSecret: true,
  frame,
  meta: (_data, { ctx }) => orgSettingsMeta('actions', ctx),
  query: pageQuery,
  async load({ ctx, query, call }) {
    const [values, runners] = await Promise.all([
      loadValues(ctx, valuesOf(ctx), {}),
      loadRunners(ctx, runnersOf(ctx), query, call),
    ])
    return { ...values, ...runners, path: actionsPath(ctx) }
  },
  view: ActionsView,
})

/** The secrets and variables of an organization. */
export const {
  putSecret: putOrgSecretSubmit,
  deleteSecret: deleteOrgSecretSubmit,
  addVariable: addOrgVariableSubmit,
  deleteVariable: deleteOrgVariableSubmit,
  variablePage: orgVariablePage,
  editVariable: editOrgVariableSubmit,
} = valuePages({
  twins: 'Org',
  ...holder,
  ownerOf: valuesOf,
  pathOf: actionsPath,
  listPage: orgActionsPage,
  frame,
  meta: (ctx) => orgSettingsMeta('actions', ctx),
})

/** The runners of an organization. */
export const {
  newToken: newOrgRunnerTokenSubmit,
  endToken: endOrgRunnerTokenSubmit,
  setRegistration: orgRunnerRegistrationSubmit,
  deleteRunner: deleteOrgRunnerSubmit,
} = runnerActs({ twins: 'org', ...holder, ownerOf: runnersOf })
