import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { object, pathNumber } from '../../http/schema.ts'
import { publicKeys, signingAlgorithm } from '../../oauth/openid/key.service.ts'
import { byJob } from '../runners/job.requirements.ts'
import { identifyJob, issuerOfJobs } from './identity.service.ts'

const texts = Type.Array(Type.String())
const IdentityToken = object('ActionsIdentityToken', { count: Type.Integer(), value: Type.String() })
const Discovery = object('ActionsIdentityConfiguration', {
  issuer: Type.String(),
  jwks_uri: Type.String(),
  response_types_supported: texts,
  subject_types_supported: texts,
  id_token_signing_alg_values_supported: texts,
  scopes_supported: texts,
  claims_supported: texts,
})
const KeySet = object('ActionsIdentityKeys', { keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })

const ofRunner = { method: 'GET', base: 'site', family: 'runner', scope: null } as const

export const requestIdentityToken = operation({
  ...ofRunner,
  path: '/api/actions/_apis/pipelines/workflows/{run}/idtoken',
  cost: 'usual',
  params: { run: pathNumber },
  accepts: ['job'],
  requires: [byJob],
  query: { audience: Type.Optional(Type.String()) },
  reply: { 200: IdentityToken },
  run: async ({ ctx, params, query }) =>
    ok({ count: 1, value: await identifyJob(ctx, ctx.task, params.run, query.audience ?? '') }),
})

export const identityConfiguration = operation({
  ...ofRunner,
  path: '/api/actions/.well-known/openid-configuration',
  cost: 'usual',
  accepts: [],
  requires: [anyone],
  reply: { 200: Discovery },
  async run({ ctx }) {
    const issuer = issuerOfJobs(ctx)
    return ok({
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [signingAlgorithm(ctx)],
      scopes_supported: ['openid'],
      claims_supported: ['iss', 'aud', 'sub', 'jti', 'iat', 'nbf', 'exp', ...ownClaims],
    })
  },
})

const ownClaims = [
  ...['ref', 'ref_type', 'sha', 'repository', 'repository_id', 'repository_owner', 'repository_owner_id'],
  ...['repository_visibility', 'run_id', 'run_number', 'run_attempt', 'actor', 'actor_id', 'workflow', 'workflow_ref'],
  ...['job_workflow_ref', 'event_name', 'head_ref', 'base_ref', 'runner_environment'],
]

export const identityKeys = operation({
  ...ofRunner,
  path: '/api/actions/.well-known/jwks',
  cost: 'usual',
  accepts: [],
  requires: [anyone],
  reply: { 200: KeySet },
  run: async ({ ctx }) => ok({ keys: [...(await publicKeys(ctx))] }),
})
