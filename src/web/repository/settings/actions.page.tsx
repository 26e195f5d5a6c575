import type { RepoCtx } from '../../../access/context.ts'
import { inRepo, repoOwner } from '../../../access/repo.requirements.ts'
import { scopeOfRepo } from '../../../actions/queue-scope.ts'
import { valuesOfRepo } from '../../../actions/value-owner.ts'
import { pageQuery } from '../../../http/schema.ts'
import { runnerActs } from '../../shared/runners/runner-acts.ts'
import { loadRunners } from '../../shared/runners/runners.ts'
import { loadValues } from '../../shared/secrets/secrets.ts'
import { valuePages } from '../../shared/secrets/value-pages.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { RepositoryRunnersView, RepositoryValuesView } from './actions.view.tsx'
import { inSettings, metaOf, repositoryOf, settingsPath } from './frame.tsx'

const actionsPath = (ctx: RepoCtx): string => settingsPath(ctx, 'actions')
const secretsPath = (ctx: RepoCtx): string => settingsPath(ctx, 'actions', 'secrets')
const valuesOf = ({ repo }: RepoCtx) => valuesOfRepo(repo.id)
const runnersOf = ({ repo, owner }: RepoCtx) => ({ scope: scopeOfRepo(repo.id), name: `${owner.name}/${repo.name}` })
const holder = { path: '/{username}/{reponame}/settings/actions', requires: [inRepo, repoOwner] } as const
const shownAs = (part: 'secrets' | 'runners') =>
  ({
    isSecret: true,
    frame: inSettings(part),
    meta: (_data: object, { ctx }: { readonly ctx: RepoCtx }) => metaOf(part, repositoryOf(ctx)),
  }) as const

/** Shows the secrets and variables of the repository. */
export const repositorySecretsPage = page({
  ...shownAs('secrets'),
  path: '/{username}/{reponame}/settings/actions/secrets',
  twin: 'repoListActionsSecrets',
  cost: 'usual',
  requires: [inSession, inRepo, repoOwner],
  load: async ({ ctx }) => ({ ...(await loadValues(ctx, valuesOf(ctx), {})), path: actionsPath(ctx) }),
  view: RepositoryValuesView,
})

/** The secrets and variables of a repository. */
export const {
  putSecret: putRepositorySecretSubmit,
  deleteSecret: deleteRepositorySecretSubmit,
  addVariable: addRepositoryVariableSubmit,
  deleteVariable: deleteRepositoryVariableSubmit,
  variablePage: repositoryVariablePage,
  editVariable: editRepositoryVariableSubmit,
} = valuePages({
  twins: 'Repo',
  ...holder,
  ownerOf: valuesOf,
  pathOf: actionsPath,
  listPage: repositorySecretsPage,
  listPathOf: secretsPath,
  frame: inSettings('secrets'),
  meta: (ctx) => metaOf('secrets', repositoryOf(ctx)),
})

/** Shows the runners of the repository. */
export const repositoryRunnersPage = page({
  ...shownAs('runners'),
  path: '/{username}/{reponame}/settings/actions/runners',
  twin: 'repoListRunners',
  cost: 'usual',
  requires: [inSession, inRepo, repoOwner],
  query: pageQuery,
  load: async ({ ctx, query, call }) => ({
    ...(await loadRunners(ctx, runnersOf(ctx), query, call)),
    path: actionsPath(ctx),
  }),
  view: RepositoryRunnersView,
})

/** The runners of a repository. */
export const {
  newToken: newRepositoryRunnerTokenSubmit,
  endToken: endRepositoryRunnerTokenSubmit,
  setRegistration: repositoryRunnerRegistrationSubmit,
  deleteRunner: deleteRepositoryRunnerSubmit,
} = runnerActs({
  twins: 'repo',
  ...holder,
  ownerOf: runnersOf,
  listPathOf: (ctx) => settingsPath(ctx, 'actions', 'runners'),
})
