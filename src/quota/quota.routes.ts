import { Type } from 'typebox'
import { quotaSubjects } from '../access/quota.rules.ts'
import { isWithinQuota } from '../access/quota.service.ts'
import { anyone, signedIn, switchedOn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { enumeration } from '../http/schema.ts'
import { Invalid } from '../lib/errors.ts'

/** `[quota].ENABLED`. */
const quotaOn = switchedOn('quotaEnabled', (config) => config.quota.enabled)

export const userCheckQuota = operation({
  method: 'GET',
  path: '/user/quota/check',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  query: { subject: enumeration(...quotaSubjects) },
  reply: { 200: Type.Boolean() },
  async run({ ctx, query: { subject } }) {
    if (subject === undefined) {
      throw new Invalid('[subject]: must be a subject of quotas', 'quota_subject_invalid', { field: 'subject' })
    }
    return ok(await isWithinQuota(ctx, ctx.viewer.user, subject))
  },
})
