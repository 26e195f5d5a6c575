import { Type } from 'typebox'
import type { RepoCtx } from '../../../access/context.ts'
import { inRepo, repoOwner } from '../../../access/repo.requirements.ts'
import { scopeOfRepo } from '../../../actions/queue-scope.ts'
import {
  endRegistrationToken,
  removeRunner,
  setRegistrationEnabled,
  type RunnerOwner,
} from '../../../actions/runners/runner-control.service.ts'
import { removeSecret } from '../../../actions/secrets/secret.service.ts'
import { valuesOfRepo, type ValueOwner } from '../../../actions/value-owner.ts'
import { removeVariable } from '../../../actions/variables/variable.service.ts'
import { pageQuery, pathText } from '../../../http/schema.ts'
import { Moved } from '../../../lib/errors.ts'
import { loadRunners, makeRunnerToken } from '../../frames/runners.ts'
import {
  addVariableFrom,
  editVariableFrom,
  loadValues,
  loadVariable,
  nameField,
  putSecretFrom,
  valueFields,
  valueProblems,
} from '../../frames/secrets.ts'
import { texts } from '../../frames/secrets.texts.tsx'
import { EditVariable } from '../../frames/secrets.view.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { siteHref } from '../../ui/paths.ts'
import { RepositoryRunnersView, RepositoryValuesView } from './actions.view.tsx'
import { inSettings, metaOf, placeOf, settingsPath } from './frame.tsx'

const below = (ctx: RepoCtx, part = 'secrets'): string => settingsPath(ctx, 'actions', part)
const valuesOf = ({ repo }: RepoCtx): ValueOwner => valuesOfRepo(repo.id)
const runnersOf = ({ repo, owner }: RepoCtx): RunnerOwner => ({
  scope: scopeOfRepo(repo.id),
  name: `${owner.name}/${repo.name}`,
})
const shownAs = (part: 'secrets' | 'runners') =>
  ({
    isSecret: true,
    frame: inSettings(part),
    meta: (_data: object, { ctx }: { readonly ctx: RepoCtx }) => metaOf(part, placeOf(ctx)),
  }) as const

/** Shows the secrets and variables of the repository. */
export const repositorySecretsPage = page({
  ...shownAs('secrets'),
  path: '/{username}/{reponame}/settings/actions/secrets',
  requires: [inSession, inRepo, repoOwner],
  load: async ({ ctx }) => ({ ...(await loadValues(ctx, valuesOf(ctx), {})), path: settingsPath(ctx, 'actions') }),
  view: RepositoryValuesView,
})

/** Leads to the page of secrets, which shows the variables too. */
export const repositoryVariablesPage = page({
  ...shownAs('secrets'),
  path: '/{username}/{reponame}/settings/actions/variables',
  requires: [inSession, inRepo, repoOwner],
  load({ ctx }): Promise<Record<never, never>> {
    throw new Moved(303, siteHref(ctx.config, below(ctx)))
  },
  view: () => <></>,
})

export const putRepositorySecretSubmit = act({
  path: '/{username}/{reponame}/settings/actions/secrets',
  requires: [inRepo, repoOwner],
  fields: valueFields,
  again: repositorySecretsPage,
  problemFields: valueProblems,
  async run({ ctx, body }) {
    await putSecretFrom(ctx, valuesOf(ctx), body)
    return { to: below(ctx), notice: texts.secretAdded((body.name ?? '').trim().toUpperCase()) }
  },
})

export const deleteRepositorySecretSubmit = act({
  path: '/{username}/{reponame}/settings/actions/secrets/delete',
  requires: [inRepo, repoOwner],
  fields: nameField,
  async run({ ctx, body }) {
    await removeSecret(ctx, valuesOf(ctx), body.name ?? '')
    return { to: below(ctx), notice: texts.secretRemoved }
  },
})

export const addRepositoryVariableSubmit = act({
  path: '/{username}/{reponame}/settings/actions/variables',
  requires: [inRepo, repoOwner],
  fields: valueFields,
  again: repositorySecretsPage,
  problemFields: valueProblems,
  async run({ ctx, body }) {
    await addVariableFrom(ctx, valuesOf(ctx), body)
    return { to: below(ctx), notice: texts.variableAdded((body.name ?? '').trim().toUpperCase()) }
  },
})

export const deleteRepositoryVariableSubmit = act({
  path: '/{username}/{reponame}/settings/actions/variables/delete',
  requires: [inRepo, repoOwner],
  fields: nameField,
  async run({ ctx, body }) {
    await removeVariable(ctx, valuesOf(ctx), body.name ?? '')
    return { to: below(ctx), notice: texts.variableRemoved }
  },
})

/** Shows the form of a variable. */
export const repositoryVariablePage = page({
  ...shownAs('secrets'),
  path: '/{username}/{reponame}/settings/actions/variables/{variable}',
  params: { variable: pathText },
  requires: [inSession, inRepo, repoOwner],
  load: async ({ ctx, params }) => ({
    ...(await loadVariable(ctx, valuesOf(ctx), params.variable)),
    path: settingsPath(ctx, 'actions'),
    back: below(ctx),
  }),
  view: EditVariable,
})

export const editRepositoryVariableSubmit = act({
  path: '/{username}/{reponame}/settings/actions/variables/{variable}',
  params: { variable: pathText },
  requires: [inRepo, repoOwner],
  fields: valueFields,
  again: repositoryVariablePage,
  problemFields: valueProblems,
  async run({ ctx, params, body }) {
    await editVariableFrom(ctx, valuesOf(ctx), params.variable, body)
    return { to: below(ctx), notice: texts.variableSaved }
  },
})

/** Shows the runners of the repository. */
export const repositoryRunnersPage = page({
  ...shownAs('runners'),
  path: '/{username}/{reponame}/settings/actions/runners',
  requires: [inSession, inRepo, repoOwner],
  query: pageQuery,
  load: async ({ ctx, query, call }) => ({
    ...(await loadRunners(ctx, runnersOf(ctx), query, call)),
    path: settingsPath(ctx, 'actions'),
  }),
  view: RepositoryRunnersView,
})

export const newRepositoryRunnerTokenSubmit = act({
  path: '/{username}/{reponame}/settings/actions/runners/token',
  requires: [inRepo, repoOwner],
  run: async ({ ctx }) => ({ to: below(ctx, 'runners'), cookies: await makeRunnerToken(ctx, runnersOf(ctx)) }),
})

export const endRepositoryRunnerTokenSubmit = act({
  path: '/{username}/{reponame}/settings/actions/runners/token/delete',
  requires: [inRepo, repoOwner],
  async run({ ctx }) {
    await endRegistrationToken(ctx, runnersOf(ctx))
    return { to: below(ctx, 'runners'), notice: texts.tokenEnded }
  },
})

export const repositoryRunnerRegistrationSubmit = act({
  path: '/{username}/{reponame}/settings/actions/runners/registration',
  requires: [inRepo, repoOwner],
  fields: { is_active: Type.Optional(Type.Boolean()) },
  async run({ ctx, body }) {
    await setRegistrationEnabled(ctx, runnersOf(ctx), body.is_active === true)
    return { to: below(ctx, 'runners'), notice: texts.registrationSaved }
  },
})

export const deleteRepositoryRunnerSubmit = act({
  path: '/{username}/{reponame}/settings/actions/runners/delete',
  requires: [inRepo, repoOwner],
  fields: { id: Type.Optional(Type.Integer()) },
  async run({ ctx, body }) {
    await removeRunner(ctx, runnersOf(ctx), body.id ?? 0)
    return { to: below(ctx, 'runners'), notice: texts.runnerRemoved }
  },
})
