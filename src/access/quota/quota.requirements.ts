import type { UserRow } from '../../db/tables/accounts.ts'
import type { Requirement } from '../../http/operation.ts'
import type { Ctx, RepoCtx, SignedInCtx, SubjectCtx } from '../context.ts'
import type { QuotaSubject } from './quota.rules.ts'
import { refuseOverQuota } from './quota.service.ts'

/** `quota:…@repo`: the owner of the repository is within quota. */
export const repoUnderQuota = (subject: QuotaSubject): Requirement<RepoCtx, object> => ({
  codes: [`quota:${subject}@repo`],
  refuses: [413],
  async check(ctx) {
    await refuseOverQuota(ctx, ctx.owner, subject)
    return {}
  },
})

/** `quota:…@user`: the caller is within quota. */
export const userUnderQuota = (subject: QuotaSubject): Requirement<SignedInCtx, object> => ({
  codes: [`quota:${subject}@user`],
  refuses: [413],
  async check(ctx) {
    await refuseOverQuota(ctx, ctx.viewer.user, subject)
    return {}
  },
})

/** `quota:…@org`: the organization is within quota. */
export const orgUnderQuota = (subject: QuotaSubject): Requirement<Ctx & { readonly org: UserRow }, object> => ({
  codes: [`quota:${subject}@org`],
  refuses: [413],
  async check(ctx) {
    await refuseOverQuota(ctx, ctx.org, subject)
    return {}
  },
})

/** The owner named in the path is within quota. Storage is charged to the owner, not to the uploader. */
export const ownerUnderQuota = (subject: QuotaSubject): Requirement<SubjectCtx, object> => ({
  codes: [`quota:${subject}@owner`],
  refuses: [413],
  async check(ctx) {
    await refuseOverQuota(ctx, ctx.subject, subject)
    return {}
  },
})
