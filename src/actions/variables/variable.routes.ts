import { Type } from 'typebox'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import { ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { valuesOfAccount, valuesOfRepo, type ValueOwner } from '../value-owner.ts'
import { presentVariable, presentVariables } from './variable.present.ts'
import { ActionVariable, CreateVariableOption, UpdateVariableOption } from './variable.schemas.ts'
import { addVariable, editVariable, getVariable, pageOfVariables, removeVariable } from './variable.service.ts'

/** Declares the operations of the variables of a repository, an organization or an account. */
function variableOperations<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, ValueOwner>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const one = { path: `${path}/{variablename}`, scope, requires } as const

  const list = operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(ActionVariable) },
    summary: 'List the variables',
    async run({ ctx, query }) {
      const page = pageOrWhole(query, ctx.config.api)
      const { rows, total } = await pageOfVariables(ctx, ownerOf(ctx), page)
      return paged(presentVariables(rows), page, total, { link: false })
    },
  })
  const get = operation({
    cost: 'usual',
    ...one,
    method: 'GET',
    reply: { 200: ActionVariable },
    summary: 'Get a variable',
    run: async ({ ctx, params }) => ok(presentVariable(await getVariable(ctx, ownerOf(ctx), params.variablename))),
  })
  const create = operation({
    cost: 'usual',
    ...one,
    method: 'POST',
    outlivesCredential: true,
    requires: [...requires, validBody],
    body: CreateVariableOption,
    refuses: [409],
    reply: { 204: 'empty' },
    summary: 'Create a variable',
    run: ({ ctx, params, body }) => addVariable(ctx, ownerOf(ctx), params.variablename, body.value),
  })
  const update = operation({
    cost: 'usual',
    ...one,
    method: 'PUT',
    outlivesCredential: true,
    requires: [...requires, validBody],
    body: UpdateVariableOption,
    refuses: [409],
    reply: { 204: 'empty' },
    summary: 'Change a variable',
    run: ({ ctx, params, body }) =>
      editVariable(ctx, ownerOf(ctx), params.variablename, { newName: body.name, value: body.value }),
  })
  const remove = operation({
    cost: 'usual',
    ...one,
    method: 'DELETE',
    reply: { 204: 'empty' },
    summary: 'Delete a variable',
    run: ({ ctx, params }) => removeVariable(ctx, ownerOf(ctx), params.variablename),
  })
  return { list, get, create, update, remove }
}

export const {
  list: getRepoVariablesList,
  get: getRepoVariable,
  create: createRepoVariable,
  update: updateRepoVariable,
  remove: deleteRepoVariable,
} = variableOperations({
  path: '/repos/{username}/{reponame}/actions/variables',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  ownerOf: ({ repo }) => valuesOfRepo(repo.id),
})

export const {
  list: getOrgVariablesList,
  get: getOrgVariable,
  create: createOrgVariable,
  update: updateOrgVariable,
  remove: deleteOrgVariable,
} = variableOperations({
  path: '/orgs/{org}/actions/variables',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  ownerOf: ({ org }) => valuesOfAccount(org.id),
})

export const {
  list: getUserVariablesList,
  get: getUserVariable,
  create: createUserVariable,
  update: updateUserVariable,
  remove: deleteUserVariable,
} = variableOperations({
  path: '/user/actions/variables',
  scope: 'user',
  requires: [signedIn],
  ownerOf: ({ viewer }) => valuesOfAccount(viewer.id),
})
