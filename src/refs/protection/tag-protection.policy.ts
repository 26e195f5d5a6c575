import type { TeamId, UserId } from '../../lib/ids.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import type { TagRule } from './tag-protection.store.ts'

/**
 * Whether an actor may create, move or delete a tag. One of several matching rules is enough. Owners are bound as well.
 * @param about rules that match the tag
 */
export function mayChangeTag(
  about: readonly TagRule[],
  tag: string,
  actor: { readonly id: UserId | undefined; readonly teamIds: ReadonlySet<TeamId> },
): Verdict {
  if (about.length === 0) return allow
  const isAllowed = about.some(
    (rule) =>
      (actor.id !== undefined && rule.user_ids.includes(actor.id)) || rule.team_ids.some((id) => actor.teamIds.has(id)),
  )
  return isAllowed ? allow : deny('tag_protected', `tag ${tag} is protected: you are not on the list of its rule`)
}
