import { Type } from 'typebox'
import { signedIn, siteAdmin } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok } from '../http/reply.ts'
import { pathNumber } from '../http/schema.ts'
import { Invalid } from '../lib/errors.ts'
import { testDirectory } from './ldap/directory.service.ts'
import { testProvider } from './openid/provider.service.ts'
import { presentSource } from './source.present.ts'
import { mayTrustOthers } from './source.requirements.ts'
import {
  CreateSignInSourceOption,
  EditSignInSourceOption,
  SignInSource,
  SignInSourceTest,
  TestSignInSourceOption,
} from './source.schemas.ts'
import {
  addSource,
  allSources,
  editSource,
  getSource,
  removeSource,
  type Source,
  type SourceInput,
} from './source.service.ts'

const sources = { base: 'vendor', scope: 'admin' } as const
const requires = [signedIn, siteAdmin, mayTrustOthers] as const

const inputOf = <Kind extends 'openid' | 'ldap'>(body: EditSignInSourceOption, kind: Kind): SourceInput<Kind> => {
  if (body[kind === 'openid' ? 'ldap' : 'openid'] !== undefined) {
    throw new Invalid(`[${kind}]: a source is of one kind`, 'source_kind', { field: kind })
  }
  return {
    name: body.name,
    isActive: body.active,
    secret: body.secret,
    settings: body[kind] ?? {},
  }
}

export const adminListSignInSources = operation({
  ...sources,
  method: 'GET',
  path: '/admin/sources',
  cost: 'usual',
  requires,
  reply: { 200: Type.Array(SignInSource) },
  summary: 'Other places where people sign in, 50 at most',
  run: async ({ ctx }) => ok((await allSources(ctx)).map((source) => presentSource(ctx, source))),
})

export const adminCreateSignInSource = operation({
  ...sources,
  method: 'POST',
  path: '/admin/sources',
  cost: 'usual',
  outlivesCredential: true,
  requires: [...requires, validBody],
  body: CreateSignInSourceOption,
  reply: { 201: SignInSource },
  summary: 'Lets people sign in by a provider of OpenID Connect or by a directory (LDAP)',
  async run({ ctx, body }) {
    const kind = body.ldap === undefined ? 'openid' : 'ldap'
    return created(presentSource(ctx, await addSource(ctx, kind, inputOf(body, kind), ctx.viewer.id)))
  },
})

const one = { ...sources, path: '/admin/sources/{id}', params: { id: pathNumber } } as const

export const adminGetSignInSource = operation({
  cost: 'usual',
  ...one,
  method: 'GET',
  requires,
  reply: { 200: SignInSource },
  summary: 'A sign-in source, without its secret',
  run: async ({ ctx, params }) => ok(presentSource(ctx, await getSource(ctx, params.id))),
})

export const adminEditSignInSource = operation({
  cost: 'usual',
  ...one,
  method: 'PATCH',
  outlivesCredential: true,
  requires: [...requires, validBody],
  body: EditSignInSourceOption,
  reply: { 200: SignInSource },
  summary: 'Changes a sign-in source; what is not sent stays',
  async run({ ctx, params, body }) {
    const source = await getSource(ctx, params.id)
    return ok(presentSource(ctx, await editSource(ctx, source, inputOf(body, source.kind), ctx.viewer.id)))
  },
})

export const adminDeleteSignInSource = operation({
  cost: 'usual',
  ...one,
  method: 'DELETE',
  requires,
  reply: { 204: 'empty' },
  summary: 'Removes a sign-in source that no account came from',
  run: async ({ ctx, params }) => removeSource(ctx, await getSource(ctx, params.id), ctx.viewer.id),
})

export const adminTestSignInSource = operation({
  ...one,
  method: 'POST',
  path: '/admin/sources/{id}/test',
  cost: 'usual',
  requires: [...requires, validBody],
  body: TestSignInSourceOption,
  reply: { 200: SignInSourceTest },
  summary: 'Asks a sign-in source what it says, and whom it knows by a name, without signing anybody in',
  async run({ ctx, params, body }) {
    const source = await getSource(ctx, params.id)
    const steps =
      source.kind === 'ldap'
        ? await testDirectory(ctx, source as Source<'ldap'>, body.login ?? '')
        : await testProvider(ctx, source as Source<'openid'>)
    return ok({ ok: steps.every((step) => step.ok), steps: [...steps] })
  },
})
