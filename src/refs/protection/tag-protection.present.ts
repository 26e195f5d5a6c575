import type { Ctx } from '../../access/context.ts'
import { formatUnix } from '../../lib/time.ts'
import { loadListNames } from './allow-list.present.ts'
import type { TagProtection } from './tag-protection.schemas.ts'
import type { TagRule } from './tag-protection.store.ts'

export async function presentTagRules(ctx: Pick<Ctx, 'db'>, rules: readonly TagRule[]): Promise<TagProtection[]> {
  const names = await loadListNames(
    ctx.db,
    rules.flatMap((rule) => rule.user_ids),
    rules.flatMap((rule) => rule.team_ids),
  )
  return rules.map((rule) => ({
    id: rule.id,
    name_pattern: rule.name_pattern,
    whitelist_usernames: names.users(rule.user_ids),
    whitelist_teams: names.teams(rule.team_ids),
    created_at: formatUnix(rule.created_unix),
    updated_at: formatUnix(rule.updated_unix),
  }))
}

export async function presentTagRule(ctx: Pick<Ctx, 'db'>, rule: TagRule): Promise<TagProtection> {
  const [presented] = await presentTagRules(ctx, [rule])
  return presented as TagProtection
}
