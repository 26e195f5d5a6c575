import { anyone, switchedOn } from '../access/requirements.ts'
import { bytesOf, operation, type Requirement } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import type { Ctx } from '../access/context.ts'
import { NotFound, Unauthenticated } from '../lib/errors.ts'
import { equalSecrets } from '../secrets/secrets.ts'

/** Requires the bearer token of `[metrics].TOKEN`, if set; accounts do not matter. */
const metricsToken: Requirement<Ctx, object> = {
  codes: ['metricsToken'],
  refuses: [401],
  check({ config }, call) {
    const { token } = config.metrics
    if (token === '') return {}
    const [, sent = ''] = /^Bearer +(\S+)$/i.exec(String(call.headers['authorization'] ?? '')) ?? []
    if (!equalSecrets(sent, token)) {
      throw new Unauthenticated('the metrics token is wrong', 'metrics_token_wrong')
    }
    return {}
  },
}

/** Returns Prometheus metrics. Not part of the contract. */
export const metrics = operation({
  method: 'GET',
  path: '/metrics',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, switchedOn('metricsEnabled', (config) => config.metrics.enabled), metricsToken],
  reply: { 200: bytesOf('text/plain', 'application/openmetrics-text') },
  async run({ ctx }) {
    if (!ctx.metrics) throw new NotFound('this is switched off', 'switched_off')
    return bytes(ctx.metrics.contentType, await ctx.metrics.render())
  },
})
