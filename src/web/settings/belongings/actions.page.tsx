import { scopeOfAccount } from '../../../actions/queue-scope.ts'
import { valuesOfAccount } from '../../../actions/value-owner.ts'
import { pageQuery } from '../../../http/schema.ts'
import { runnerActs } from '../../shared/runners/runner-acts.ts'
import { loadRunners } from '../../shared/runners/runners.ts'
import { RunnerSection } from '../../shared/runners/runners.view.tsx'
import { loadValues } from '../../shared/secrets/secrets.ts'
import { ValueSections } from '../../shared/secrets/secrets.view.tsx'
import { valuePages } from '../../shared/secrets/value-pages.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { settingsTexts as settings } from '../../languages/texts.ts'

const path = settingsPath('actions')
const valuesOf = ({ viewer }: PersonCtx) => valuesOfAccount(viewer.id)
const runnersOf = ({ viewer }: PersonCtx) => ({ scope: scopeOfAccount(viewer.id), name: viewer.user.name })
const shown = { frame: inSettings('actions'), meta: () => settingsMeta('actions') } as const

type ActionsProps = Parameters<typeof ValueSections>[0] & Parameters<typeof RunnerSection>[0]

const ActionsView = (props: ActionsProps) => (
  <>
    <PageHead title={settings.parts.actions} />
    <ValueSections {...props} />
    <RunnerSection {...props} />
  </>
)

/** Shows secrets, variables and runners of the account. */
export const userActionsPage = page({
  ...shown,
  isSecret: true,
  path: '/user/settings/actions',
  twin: 'userListRunners',
  cost: 'usual',
  requires: [inSession],
  query: pageQuery,
  async load({ ctx, query, call }) {
    const [values, runners] = await Promise.all([
      loadValues(ctx, valuesOf(ctx), {}),
      loadRunners(ctx, runnersOf(ctx), query, call),
    ])
    return { ...values, ...runners, path }
  },
  view: ActionsView,
})

const holder = { path: '/user/settings/actions', requires: [], listPathOf: () => path } as const

/** The secrets and variables of the account. */
export const {
  putSecret: putUserSecretSubmit,
  deleteSecret: deleteUserSecretSubmit,
  addVariable: addUserVariableSubmit,
  deleteVariable: deleteUserVariableSubmit,
  variablePage: userVariablePage,
  editVariable: editUserVariableSubmit,
} = valuePages({ twins: 'User', ...holder, ...shown, ownerOf: valuesOf, pathOf: () => path, listPage: userActionsPage })

/** The runners of the account. */
export const {
  newToken: newUserRunnerTokenSubmit,
  endToken: endUserRunnerTokenSubmit,
  setRegistration: userRunnerRegistrationSubmit,
  deleteRunner: deleteUserRunnerSubmit,
} = runnerActs({ twins: 'user', ...holder, ownerOf: runnersOf })
