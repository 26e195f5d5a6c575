import { Type } from 'typebox'
import { anyone } from '../access/requirements.ts'
import { object } from '../http/schema.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { apiErrors } from '../http/error-forms.ts'
import { checkHealth } from './health.service.ts'

const Health = object('Health', { status: Type.String() })

/**
 * Health check for load balancers and process managers: the database answers and the disk has room. Not part of the
 * contract.
 */
export const health = operation({
  method: 'GET',
  path: '/api/healthz',
  base: 'site',
  scope: null,
  errors: apiErrors,
  cost: 'vital',
  requires: [anyone],
  reply: { 200: Health },
  async run({ ctx }) {
    await checkHealth(ctx)
    return ok({ status: 'pass' })
  },
})
