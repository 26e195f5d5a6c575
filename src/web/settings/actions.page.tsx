import { Type } from 'typebox'
import { scopeOfAccount } from '../../actions/queue-scope.ts'
import {
  endRegistrationToken,
  removeRunner,
  setRegistrationEnabled,
  type RunnerOwner,
} from '../../actions/runners/runner-control.service.ts'
import { removeSecret } from '../../actions/secrets/secret.service.ts'
import { valuesOfAccount, type ValueOwner } from '../../actions/value-owner.ts'
import { removeVariable } from '../../actions/variables/variable.service.ts'
import { pageQuery, pathText } from '../../http/schema.ts'
import { loadRunners, makeRunnerToken } from '../frames/runners.ts'
import { RunnerSection } from '../frames/runners.view.tsx'
import {
  addVariableFrom,
  editVariableFrom,
  loadValues,
  loadVariable,
  nameField,
  putSecretFrom,
  valueFields,
  valueProblems,
} from '../frames/secrets.ts'
import { texts } from '../frames/secrets.texts.tsx'
import { EditVariable, ValueSections } from '../frames/secrets.view.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { PageHead } from '../ui/parts.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from './settings-frame.tsx'
import { texts as settings } from './texts.tsx'

const path = settingsPath('actions')
const valuesOf = ({ viewer }: PersonCtx): ValueOwner => valuesOfAccount(viewer.id)
const runnersOf = ({ viewer }: PersonCtx): RunnerOwner => ({
  scope: scopeOfAccount(viewer.id),
  name: viewer.user.name,
})
const shown = { isSecret: true, frame: inSettings('actions'), meta: () => settingsMeta('actions') } as const

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
  path: '/user/settings/actions',
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

export const putUserSecretSubmit = act({
  path: '/user/settings/actions/secrets',
  requires: [],
  fields: valueFields,
  again: userActionsPage,
  problemFields: valueProblems,
  async run({ ctx, body }) {
    await putSecretFrom(ctx, valuesOf(ctx), body)
    return { to: path, notice: texts.secretAdded((body.name ?? '').trim().toUpperCase()) }
  },
})

export const deleteUserSecretSubmit = act({
  path: '/user/settings/actions/secrets/delete',
  requires: [],
  fields: nameField,
  async run({ ctx, body }) {
    await removeSecret(ctx, valuesOf(ctx), body.name ?? '')
    return { to: path, notice: texts.secretRemoved }
  },
})

export const addUserVariableSubmit = act({
  path: '/user/settings/actions/variables',
  requires: [],
  fields: valueFields,
  again: userActionsPage,
  problemFields: valueProblems,
  async run({ ctx, body }) {
    await addVariableFrom(ctx, valuesOf(ctx), body)
    return { to: path, notice: texts.variableAdded((body.name ?? '').trim().toUpperCase()) }
  },
})

export const deleteUserVariableSubmit = act({
  path: '/user/settings/actions/variables/delete',
  requires: [],
  fields: nameField,
  async run({ ctx, body }) {
    await removeVariable(ctx, valuesOf(ctx), body.name ?? '')
    return { to: path, notice: texts.variableRemoved }
  },
})

/** Shows the form of a variable. */
export const userVariablePage = page({
  ...shown,
  path: '/user/settings/actions/variables/{variable}',
  params: { variable: pathText },
  requires: [inSession],
  load: async ({ ctx, params }) => ({ ...(await loadVariable(ctx, valuesOf(ctx), params.variable)), path }),
  view: EditVariable,
})

export const editUserVariableSubmit = act({
  path: '/user/settings/actions/variables/{variable}',
  params: { variable: pathText },
  requires: [],
  fields: valueFields,
  again: userVariablePage,
  problemFields: valueProblems,
  async run({ ctx, params, body }) {
    await editVariableFrom(ctx, valuesOf(ctx), params.variable, body)
    return { to: path, notice: texts.variableSaved }
  },
})

export const newUserRunnerTokenSubmit = act({
  path: '/user/settings/actions/runners/token',
  requires: [],
  run: async ({ ctx }) => ({ to: path, cookies: await makeRunnerToken(ctx, runnersOf(ctx)) }),
})

export const endUserRunnerTokenSubmit = act({
  path: '/user/settings/actions/runners/token/delete',
  requires: [],
  async run({ ctx }) {
    await endRegistrationToken(ctx, runnersOf(ctx))
    return { to: path, notice: texts.tokenEnded }
  },
})

export const userRunnerRegistrationSubmit = act({
  path: '/user/settings/actions/runners/registration',
  requires: [],
  fields: { is_active: Type.Optional(Type.Boolean()) },
  async run({ ctx, body }) {
    await setRegistrationEnabled(ctx, runnersOf(ctx), body.is_active === true)
    return { to: path, notice: texts.registrationSaved }
  },
})

export const deleteUserRunnerSubmit = act({
  path: '/user/settings/actions/runners/delete',
  requires: [],
  fields: { id: Type.Optional(Type.Integer()) },
  async run({ ctx, body }) {
    await removeRunner(ctx, runnersOf(ctx), body.id ?? 0)
    return { to: path, notice: texts.runnerRemoved }
  },
})
