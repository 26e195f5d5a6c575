import type { UserRow } from '../db/tables/accounts.ts'
import { OverQuota } from '../lib/errors.ts'
import type { Ctx } from './context.ts'
import { withinQuota, type QuotaGroup, type QuotaSubject } from './quota.rules.ts'
import { loadUsage } from './usage.store.ts'

/** Groups of an account that was given none: one rule about the sum of everything (contract, quota: evaluation). */
const defaultGroups = ({ config }: Pick<Ctx, 'config'>): readonly QuotaGroup[] => [
  { rules: [{ limit: config.quotaDefault.total, subjects: ['size:all'] }] },
]

/** Whether an account is within quota for a subject; whether quotas are on is the caller's question. */
export async function isWithinQuota(
  ctx: Pick<Ctx, 'config' | 'db'>,
  owner: Pick<UserRow, 'id'>,
  subject: QuotaSubject,
): Promise<boolean> {
  return withinQuota(defaultGroups(ctx), subject, await loadUsage(ctx.db, owner.id))
}

/** Throws `OverQuota` (413) when the account that is charged is over quota already; a soft limit, looked at before. */
export async function refuseOverQuota(
  ctx: Pick<Ctx, 'config' | 'db'>,
  owner: Pick<UserRow, 'id' | 'name'>,
  subject: QuotaSubject,
): Promise<void> {
  if (!ctx.config.quota.enabled) return
  const groups = defaultGroups(ctx)
  if (groups.every(({ rules }) => rules.every((rule) => rule.limit === -1))) return
  const usage = await loadUsage(ctx.db, owner.id)
  if (!withinQuota(groups, subject, usage)) {
    throw new OverQuota(`${owner.name} is over quota`, 'over_quota', { user_id: owner.id, username: owner.name })
  }
}
