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
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
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
import { inOrgSettings, orgSettingsMeta, orgSettingsPath, type OwnerCtx } from './settings-frame.tsx'
import { settingsTexts as settings } from './texts.tsx'

const actionsPath = (ctx: Pick<OwnerCtx, 'org'>) => orgSettingsPath(ctx, 'actions')
const valuesOf = ({ org }: Pick<OwnerCtx, 'org'>): ValueOwner => valuesOfAccount(org.id)
const runnersOf = ({ org }: Pick<OwnerCtx, 'org'>): RunnerOwner => ({ scope: scopeOfAccount(org.id), name: org.name })
const shown = {
  isSecret: true,
  requires: [inSession, inOrg, orgOwner],
  frame: inOrgSettings('actions'),
  meta: (_data: object, { ctx }: { readonly ctx: Pick<OwnerCtx, 'org'> }) => orgSettingsMeta('actions', ctx),
} as const
const ofOwners = [inOrg, orgOwner] as const

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
  ...shown,
  path: '/org/{org}/settings/actions',
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

export const putOrgSecretSubmit = act({
  path: '/org/{org}/settings/actions/secrets',
  requires: ofOwners,
  fields: valueFields,
  again: orgActionsPage,
  problemFields: valueProblems,
  async run({ ctx, body }) {
    await putSecretFrom(ctx, valuesOf(ctx), body)
    return { to: actionsPath(ctx), notice: texts.secretAdded((body.name ?? '').trim().toUpperCase()) }
  },
})

export const deleteOrgSecretSubmit = act({
  path: '/org/{org}/settings/actions/secrets/delete',
  requires: ofOwners,
  fields: nameField,
  async run({ ctx, body }) {
    await removeSecret(ctx, valuesOf(ctx), body.name ?? '')
    return { to: actionsPath(ctx), notice: texts.secretRemoved }
  },
})

export const addOrgVariableSubmit = act({
  path: '/org/{org}/settings/actions/variables',
  requires: ofOwners,
  fields: valueFields,
  again: orgActionsPage,
  problemFields: valueProblems,
  async run({ ctx, body }) {
    await addVariableFrom(ctx, valuesOf(ctx), body)
    return { to: actionsPath(ctx), notice: texts.variableAdded((body.name ?? '').trim().toUpperCase()) }
  },
})

export const deleteOrgVariableSubmit = act({
  path: '/org/{org}/settings/actions/variables/delete',
  requires: ofOwners,
  fields: nameField,
  async run({ ctx, body }) {
    await removeVariable(ctx, valuesOf(ctx), body.name ?? '')
    return { to: actionsPath(ctx), notice: texts.variableRemoved }
  },
})

/** Shows the form of a variable. */
export const orgVariablePage = page({
  ...shown,
  path: '/org/{org}/settings/actions/variables/{variable}',
  params: { variable: pathText },
  load: async ({ ctx, params }) => ({
    ...(await loadVariable(ctx, valuesOf(ctx), params.variable)),
    path: actionsPath(ctx),
  }),
  view: EditVariable,
})

export const editOrgVariableSubmit = act({
  path: '/org/{org}/settings/actions/variables/{variable}',
  params: { variable: pathText },
  requires: ofOwners,
  fields: valueFields,
  again: orgVariablePage,
  problemFields: valueProblems,
  async run({ ctx, params, body }) {
    await editVariableFrom(ctx, valuesOf(ctx), params.variable, body)
    return { to: actionsPath(ctx), notice: texts.variableSaved }
  },
})

export const newOrgRunnerTokenSubmit = act({
  path: '/org/{org}/settings/actions/runners/token',
  requires: ofOwners,
  run: async ({ ctx }) => ({ to: actionsPath(ctx), cookies: await makeRunnerToken(ctx, runnersOf(ctx)) }),
})

export const endOrgRunnerTokenSubmit = act({
  path: '/org/{org}/settings/actions/runners/token/delete',
  requires: ofOwners,
  async run({ ctx }) {
    await endRegistrationToken(ctx, runnersOf(ctx))
    return { to: actionsPath(ctx), notice: texts.tokenEnded }
  },
})

export const orgRunnerRegistrationSubmit = act({
  path: '/org/{org}/settings/actions/runners/registration',
  requires: ofOwners,
  fields: { is_active: Type.Optional(Type.Boolean()) },
  async run({ ctx, body }) {
    await setRegistrationEnabled(ctx, runnersOf(ctx), body.is_active === true)
    return { to: actionsPath(ctx), notice: texts.registrationSaved }
  },
})

export const deleteOrgRunnerSubmit = act({
  path: '/org/{org}/settings/actions/runners/delete',
  requires: ofOwners,
  fields: { id: Type.Optional(Type.Integer()) },
  async run({ ctx, body }) {
    await removeRunner(ctx, runnersOf(ctx), body.id ?? 0)
    return { to: actionsPath(ctx), notice: texts.runnerRemoved }
  },
})
