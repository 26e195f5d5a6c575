import { Type } from 'typebox'
import { anyHolder, type Holder } from '../access/holder.ts'
import { quotaSubjects } from '../access/quota/quota.rules.ts'
import { isWithinQuota } from '../access/quota/quota.service.ts'
import { anyone, signedIn } from '../access/requirements.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { operation, type AnyRequirement } from '../http/operation.ts'
import { ok, paged } from '../http/reply.ts'
import { enumeration, pageQuery } from '../http/schema.ts'
import { Invalid } from '../lib/errors.ts'
import { pageOf } from '../lib/paging.ts'
import { inOrg, orgOwner } from '../orgs/org.requirements.ts'
import { presentQuota, presentUsedArtifacts, presentUsedAttachments, presentUsedPackages } from './quota.present.ts'
import { quotaOn } from './quota.requirements.ts'
import { QuotaInfo, QuotaUsedArtifact, QuotaUsedAttachment, QuotaUsedPackage } from './quota.schemas.ts'
import { pageOfArtifacts, pageOfAttachments, pageOfPackageFiles, viewQuota } from './view.service.ts'

/** Declares the operations of the quota of an account or an organization. */
function quotaOperations<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, UserRow>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const get = operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    reply: { 200: QuotaInfo },
    summary: 'Get the quota and what counts for it',
    run: async ({ ctx }) => ok(presentQuota(await viewQuota(ctx, ownerOf(ctx)), 'nameless')),
  })
  const check = operation({
    method: 'GET',
    path: `${path}/check`,
    cost: 'usual',
    scope,
    requires,
    query: { subject: enumeration(...quotaSubjects) },
    reply: { 200: Type.Boolean() },
    summary: 'Check whether a subject is within the quota',
    async run({ ctx, query: { subject } }) {
      if (subject === undefined) {
        throw new Invalid('[subject]: must be a subject of quotas', 'quota_subject_invalid', { field: 'subject' })
      }
      return ok(await isWithinQuota(ctx, ownerOf(ctx), subject))
    },
  })
  const attachments = operation({
    method: 'GET',
    path: `${path}/attachments`,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(QuotaUsedAttachment) },
    summary: 'List the attachments that count for the quota',
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { rows, total } = await pageOfAttachments(ctx, ownerOf(ctx), page)
      return paged(await presentUsedAttachments(ctx, rows), page, total)
    },
  })
  const packages = operation({
    method: 'GET',
    path: `${path}/packages`,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(QuotaUsedPackage) },
    summary: 'List the packages that count for the quota',
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const owner = ownerOf(ctx)
      const { rows, total } = await pageOfPackageFiles(ctx, owner, page)
      return paged(presentUsedPackages(ctx, owner, rows), page, total)
    },
  })
  const artifacts = operation({
    method: 'GET',
    path: `${path}/artifacts`,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(QuotaUsedArtifact) },
    summary: 'List the artifacts that count for the quota',
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { rows, total } = await pageOfArtifacts(ctx, ownerOf(ctx), page)
      return paged(presentUsedArtifacts(ctx, rows), page, total)
    },
  })
  return { get, check, attachments, packages, artifacts }
}

export const {
  get: userGetQuota,
  check: userCheckQuota,
  attachments: userListQuotaAttachments,
  packages: userListQuotaPackages,
  artifacts: userListQuotaArtifacts,
} = quotaOperations({
  path: '/user/quota',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  ownerOf: ({ viewer }) => viewer.user,
})

export const {
  get: orgGetQuota,
  check: orgCheckQuota,
  attachments: orgListQuotaAttachments,
  packages: orgListQuotaPackages,
  artifacts: orgListQuotaArtifacts,
} = quotaOperations({
  path: '/orgs/{org}/quota',
  scope: 'organization',
  requires: [anyone, quotaOn, inOrg, signedIn, orgOwner],
  ownerOf: ({ org }) => org,
})
