import type { UserRow } from '../../db/tables/accounts.ts'
import { OverQuota } from '../../lib/errors.ts'
import type { Ctx } from '../context.ts'
import { guardsOf, withinQuota, type QuotaGroup, type QuotaSubject, type QuotaUsage } from './quota.rules.ts'
import { listGroupsNamed, listGroupsOfUser } from './quota.store.ts'
import { loadUsage } from './usage.store.ts'

/**
 * Returns the groups of an account: its own, else the existing ones of `[quota].DEFAULT_GROUPS`, else one with a
 * rule about everything (contract, quota: evaluation). They are read each time, so that a change by an
 * administrator applies at once.
 */
async function groupsJudging({ config, db }: Pick<Ctx, 'config' | 'db'>, owner: Pick<UserRow, 'id'>) {
  const own: readonly QuotaGroup[] = await listGroupsOfUser(db, owner.id)
  if (own.length > 0) return own
  const usual = await listGroupsNamed(db, config.quota.defaultGroups)
  if (usual.length > 0) return usual
  return [{ rules: [{ limit: config.quotaDefault.total, subjects: ['size:all'] as const }] }]
}

/** Returns whether usage cannot change the result. */
const standsAnyway = (groups: readonly QuotaGroup[]): boolean =>
  groups.some(({ rules }) => rules.every((rule) => rule.limit === -1))

const sumOf = (one: QuotaUsage, other: QuotaUsage): QuotaUsage =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)] as (keyof QuotaUsage)[])].map((kind) => [
      kind,
      (one[kind] ?? 0) + (other[kind] ?? 0),
    ]),
  )

/**
 * Returns whether an account is within quota for a subject. The caller checks whether quotas are on.
 */
export const isWithinQuota = (
  ctx: Pick<Ctx, 'config' | 'db'>,
  owner: Pick<UserRow, 'id'>,
  subject: QuotaSubject,
): Promise<boolean> => areWithinQuota(ctx, owner, [subject], {})

/** @param beside usage that will be charged to the account */
async function areWithinQuota(
  ctx: Pick<Ctx, 'config' | 'db'>,
  owner: Pick<UserRow, 'id'>,
  subjects: readonly QuotaSubject[],
  beside: QuotaUsage,
): Promise<boolean> {
  const groups = await groupsJudging(ctx, owner)
  if (standsAnyway(groups)) return true
  const usage = sumOf(await loadUsage(ctx.db, owner.id), beside)
  return subjects.every((subject) => withinQuota(groups, subject, usage))
}

/**
 * Throws `OverQuota` (413) when the account that is charged is over quota already; a soft limit, looked at before.
 * @param beside what is not charged to it yet and will be
 */
export async function refuseOverQuota(
  ctx: Pick<Ctx, 'config' | 'db'>,
  owner: Pick<UserRow, 'id' | 'name'>,
  subject: QuotaSubject,
  beside: QuotaUsage = {},
): Promise<void> {
  if (!ctx.config.quota.enabled || (await areWithinQuota(ctx, owner, guardsOf(subject), beside))) return
  throw new OverQuota(`${owner.name} is over quota`, 'over_quota', { user_id: owner.id, username: owner.name })
}
