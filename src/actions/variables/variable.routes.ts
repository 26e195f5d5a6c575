import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole, type PageQuery } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { valuesOfAccount, valuesOfRepo, type ValueOwner } from '../value-owner.ts'
import { presentVariable, presentVariables } from './variable.present.ts'
import { ActionVariable, CreateVariableOption, UpdateVariableOption } from './variable.schemas.ts'
import { addVariable, editVariable, getVariable, pageOfVariables, removeVariable } from './variable.service.ts'

async function answerList(ctx: Ctx, owner: ValueOwner, query: PageQuery) {
  const page = pageOrWhole(query, ctx.config.api)
  const { rows, total } = await pageOfVariables(ctx, owner, page)
  return paged(presentVariables(rows), page, total, { link: false })
}

const answerGet = async (ctx: Ctx, owner: ValueOwner, name: string) =>
  ok(presentVariable(await getVariable(ctx, owner, name)))

const edit = (ctx: Ctx, owner: ValueOwner, name: string, body: UpdateVariableOption) =>
  editVariable(ctx, owner, name, { newName: body.name, value: body.value })

export const getRepoVariablesList = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/variables',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  query: pageQuery,
  reply: { 200: Type.Array(ActionVariable) },
  run: ({ ctx, query }) => answerList(ctx, valuesOfRepo(ctx.repo.id), query),
})

export const getRepoVariable = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/variables/{variablename}',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  reply: { 200: ActionVariable },
  run: ({ ctx, params }) => answerGet(ctx, valuesOfRepo(ctx.repo.id), params.variablename),
})

export const createRepoVariable = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/actions/variables/{variablename}',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoOwner, validBody],
  body: CreateVariableOption,
  reply: { 204: 'empty' },
  run: ({ ctx, params, body }) => addVariable(ctx, valuesOfRepo(ctx.repo.id), params.variablename, body.value),
})

export const updateRepoVariable = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/actions/variables/{variablename}',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoOwner, validBody],
  body: UpdateVariableOption,
  reply: { 204: 'empty' },
  run: ({ ctx, params, body }) => edit(ctx, valuesOfRepo(ctx.repo.id), params.variablename, body),
})

export const deleteRepoVariable = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/variables/{variablename}',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => removeVariable(ctx, valuesOfRepo(ctx.repo.id), params.variablename),
})

export const getOrgVariablesList = operation({
  method: 'GET',
  path: '/orgs/{org}/actions/variables',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(ActionVariable) },
  run: ({ ctx, query }) => answerList(ctx, valuesOfAccount(ctx.org.id), query),
})

export const getOrgVariable = operation({
  method: 'GET',
  path: '/orgs/{org}/actions/variables/{variablename}',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 200: ActionVariable },
  run: ({ ctx, params }) => answerGet(ctx, valuesOfAccount(ctx.org.id), params.variablename),
})

export const createOrgVariable = operation({
  method: 'POST',
  path: '/orgs/{org}/actions/variables/{variablename}',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: CreateVariableOption,
  reply: { 204: 'empty' },
  run: ({ ctx, params, body }) => addVariable(ctx, valuesOfAccount(ctx.org.id), params.variablename, body.value),
})

export const updateOrgVariable = operation({
  method: 'PUT',
  path: '/orgs/{org}/actions/variables/{variablename}',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: UpdateVariableOption,
  reply: { 204: 'empty' },
  run: ({ ctx, params, body }) => edit(ctx, valuesOfAccount(ctx.org.id), params.variablename, body),
})

export const deleteOrgVariable = operation({
  method: 'DELETE',
  path: '/orgs/{org}/actions/variables/{variablename}',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => removeVariable(ctx, valuesOfAccount(ctx.org.id), params.variablename),
})

export const getUserVariablesList = operation({
  method: 'GET',
  path: '/user/actions/variables',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(ActionVariable) },
  run: ({ ctx, query }) => answerList(ctx, valuesOfAccount(ctx.viewer.id), query),
})

export const getUserVariable = operation({
  method: 'GET',
  path: '/user/actions/variables/{variablename}',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: ActionVariable },
  run: ({ ctx, params }) => answerGet(ctx, valuesOfAccount(ctx.viewer.id), params.variablename),
})

export const createUserVariable = operation({
  method: 'POST',
  path: '/user/actions/variables/{variablename}',
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateVariableOption,
  reply: { 204: 'empty' },
  run: ({ ctx, params, body }) => addVariable(ctx, valuesOfAccount(ctx.viewer.id), params.variablename, body.value),
})

export const updateUserVariable = operation({
  method: 'PUT',
  path: '/user/actions/variables/{variablename}',
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: UpdateVariableOption,
  reply: { 204: 'empty' },
  run: ({ ctx, params, body }) => edit(ctx, valuesOfAccount(ctx.viewer.id), params.variablename, body),
})

export const deleteUserVariable = operation({
  method: 'DELETE',
  path: '/user/actions/variables/{variablename}',
  scope: 'user',
  requires: [signedIn],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => removeVariable(ctx, valuesOfAccount(ctx.viewer.id), params.variablename),
})
