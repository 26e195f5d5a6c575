import { Type, type Static } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { presentApplication } from './application.present.ts'
import { CreateOAuth2ApplicationOptions, OAuth2Application } from './application.schemas.ts'
import {
  createApplication,
  editApplication,
  getApplication,
  pageOfApplications,
  removeApplication,
} from './application.service.ts'

const inputOf = (body: Static<typeof CreateOAuth2ApplicationOptions>) => ({
  name: body.name,
  isConfidential: body.confidential_client ?? false,
  redirectUris: body.redirect_uris,
})

export const userGetOAuth2Applications = operation({
  method: 'GET',
  path: '/user/applications/oauth2',
  cost: 'usual',
  scope: 'user',
  narrowScope: 'admin:application',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(OAuth2Application) },
  summary: 'List the own OAuth2 applications',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { applications, total } = await pageOfApplications(ctx, ctx.viewer.user, page)
    return paged(
      applications.map((application) => presentApplication(application)),
      page,
      total,
      { link: false },
    )
  },
})

export const userCreateOAuth2Application = operation({
  method: 'POST',
  path: '/user/applications/oauth2',
  cost: 'usual',
  scope: 'user',
  narrowScope: 'admin:application',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateOAuth2ApplicationOptions,
  reply: { 201: OAuth2Application },
  summary: 'Create an OAuth2 application',
  async run({ ctx, body }) {
    const { application, secret } = await createApplication(ctx, ctx.viewer.user, inputOf(body))
    return created(presentApplication(application, secret))
  },
})

export const userGetOAuth2Application = operation({
  method: 'GET',
  path: '/user/applications/oauth2/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:application',
  requires: [signedIn],
  reply: { 200: OAuth2Application },
  summary: 'Get an OAuth2 application',
  async run({ ctx, params }) {
    return ok(presentApplication(await getApplication(ctx, ctx.viewer.user, params.id)))
  },
})

export const userUpdateOAuth2Application = operation({
  method: 'PATCH',
  path: '/user/applications/oauth2/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:application',
  outlivesCredential: true,
  requires: [signedIn, validBody],
  body: CreateOAuth2ApplicationOptions,
  reply: { 200: OAuth2Application },
  summary: 'Edit an OAuth2 application',
  async run({ ctx, params, body }) {
    const { application, secret } = await editApplication(ctx, ctx.viewer.user, params.id, inputOf(body))
    return ok(presentApplication(application, secret))
  },
})

export const userDeleteOAuth2Application = operation({
  method: 'DELETE',
  path: '/user/applications/oauth2/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'user',
  narrowScope: 'admin:application',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete an OAuth2 application',
  run: ({ ctx, params }) => removeApplication(ctx, ctx.viewer.user, params.id),
})
