import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { quotaSubjects, type QuotaSubject } from '../access/quota/quota.rules.ts'
import { isWithinQuota } from '../access/quota/quota.service.ts'
import { anyone, signedIn } from '../access/requirements.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { operation } from '../http/operation.ts'
import { ok, paged } from '../http/reply.ts'
import { enumeration, pageQuery } from '../http/schema.ts'
import { Invalid } from '../lib/errors.ts'
import { pageOf, type PageQuery } from '../lib/paging.ts'
import { inOrg, orgOwner } from '../orgs/org.requirements.ts'
import { presentQuota, presentUsedArtifacts, presentUsedAttachments, presentUsedPackages } from './quota.present.ts'
import { quotaOn } from './quota.requirements.ts'
import { QuotaInfo, QuotaUsedArtifact, QuotaUsedAttachment, QuotaUsedPackage } from './quota.schemas.ts'
import { pageOfArtifacts, pageOfAttachments, pageOfPackageFiles, viewQuota } from './view.service.ts'

const subjectQuery = { subject: enumeration(...quotaSubjects) }

const answerView = async (ctx: Ctx, owner: UserRow) => ok(presentQuota(await viewQuota(ctx, owner), 'nameless'))

async function answerCheck(ctx: Ctx, owner: UserRow, subject: QuotaSubject | undefined) {
  if (subject === undefined) {
    throw new Invalid('[subject]: must be a subject of quotas', 'quota_subject_invalid', { field: 'subject' })
  }
  return ok(await isWithinQuota(ctx, owner, subject))
}

async function answerAttachments(ctx: Ctx, owner: UserRow, query: PageQuery) {
  const page = pageOf(query, ctx.config.api)
  const { rows, total } = await pageOfAttachments(ctx, owner, page)
  return paged(await presentUsedAttachments(ctx, rows), page, total)
}

async function answerPackages(ctx: Ctx, owner: UserRow, query: PageQuery) {
  const page = pageOf(query, ctx.config.api)
  const { rows, total } = await pageOfPackageFiles(ctx, owner, page)
  return paged(presentUsedPackages(ctx, owner, rows), page, total)
}

async function answerArtifacts(ctx: Ctx, owner: UserRow, query: PageQuery) {
  const page = pageOf(query, ctx.config.api)
  const { rows, total } = await pageOfArtifacts(ctx, owner, page)
  return paged(presentUsedArtifacts(ctx, rows), page, total)
}

export const userGetQuota = operation({
  method: 'GET',
  path: '/user/quota',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  reply: { 200: QuotaInfo },
  run: ({ ctx }) => answerView(ctx, ctx.viewer.user),
})

export const userCheckQuota = operation({
  method: 'GET',
  path: '/user/quota/check',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  query: subjectQuery,
  reply: { 200: Type.Boolean() },
  run: ({ ctx, query }) => answerCheck(ctx, ctx.viewer.user, query.subject),
})

export const userListQuotaAttachments = operation({
  method: 'GET',
  path: '/user/quota/attachments',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(QuotaUsedAttachment) },
  run: ({ ctx, query }) => answerAttachments(ctx, ctx.viewer.user, query),
})

export const userListQuotaPackages = operation({
  method: 'GET',
  path: '/user/quota/packages',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(QuotaUsedPackage) },
  run: ({ ctx, query }) => answerPackages(ctx, ctx.viewer.user, query),
})

export const userListQuotaArtifacts = operation({
  method: 'GET',
  path: '/user/quota/artifacts',
  scope: 'user',
  requires: [anyone, quotaOn, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(QuotaUsedArtifact) },
  run: ({ ctx, query }) => answerArtifacts(ctx, ctx.viewer.user, query),
})

export const orgGetQuota = operation({
  method: 'GET',
  path: '/orgs/{org}/quota',
  scope: 'organization',
  requires: [anyone, quotaOn, inOrg, signedIn, orgOwner],
  reply: { 200: QuotaInfo },
  run: ({ ctx }) => answerView(ctx, ctx.org),
})

export const orgCheckQuota = operation({
  method: 'GET',
  path: '/orgs/{org}/quota/check',
  scope: 'organization',
  requires: [anyone, quotaOn, inOrg, signedIn, orgOwner],
  query: subjectQuery,
  reply: { 200: Type.Boolean() },
  run: ({ ctx, query }) => answerCheck(ctx, ctx.org, query.subject),
})

export const orgListQuotaAttachments = operation({
  method: 'GET',
  path: '/orgs/{org}/quota/attachments',
  scope: 'organization',
  requires: [anyone, quotaOn, inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(QuotaUsedAttachment) },
  run: ({ ctx, query }) => answerAttachments(ctx, ctx.org, query),
})

export const orgListQuotaPackages = operation({
  method: 'GET',
  path: '/orgs/{org}/quota/packages',
  scope: 'organization',
  requires: [anyone, quotaOn, inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(QuotaUsedPackage) },
  run: ({ ctx, query }) => answerPackages(ctx, ctx.org, query),
})

export const orgListQuotaArtifacts = operation({
  method: 'GET',
  path: '/orgs/{org}/quota/artifacts',
  scope: 'organization',
  requires: [anyone, quotaOn, inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(QuotaUsedArtifact) },
  run: ({ ctx, query }) => answerArtifacts(ctx, ctx.org, query),
})
