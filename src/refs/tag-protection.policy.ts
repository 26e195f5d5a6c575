import { testRegExp } from '../lib/bounded-regexp.ts'
import { compileGlob } from '../lib/glob.ts'
import type { TeamId, UserId } from '../lib/ids.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { expressionOf } from './tag-protection.rules.ts'
import type { TagRule } from './tag-protection.store.ts'

/** Whether a rule is about a tag: a glob whose `*` crosses slashes, or an expression between slashes. */
function covers(rule: TagRule, tag: string): boolean {
  const expression = expressionOf(rule.name_pattern)
  // An expression that can not be judged protects: nobody gets past a rule by making it slow.
  return expression === undefined ? compileGlob(rule.name_pattern, '')(tag) : (testRegExp(expression, tag) ?? true)
}

/** Whether somebody may make, move or delete a tag. Of several rules about it one that allows is enough; owners are bound as well. */
export function mayChangeTag(
  rules: readonly TagRule[],
  tag: string,
  actor: { readonly id: UserId | undefined; readonly teamIds: ReadonlySet<TeamId> },
): Verdict {
  const about = rules.filter((rule) => covers(rule, tag))
  if (about.length === 0) return allow
  const isAllowed = about.some(
    (rule) =>
      (actor.id !== undefined && rule.user_ids.includes(actor.id)) || rule.team_ids.some((id) => actor.teamIds.has(id)),
  )
  return isAllowed ? allow : deny(`tag ${tag} is protected`)
}
