import type { TeamId, UserId } from '../../lib/ids.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import type { TagRule } from './tag-protection.store.ts'

/**
 * Whether an actor may create, move or delete a tag. One of several matching rules is enough. Owners are bound as well.
 * A rule that cannot be decided refuses everybody, since its list is not known to be the list of the tag.
 * @param about rules that match the tag
 * @param undecided the first rule that cannot be decided
 */
export function mayChangeTag(
  about: readonly TagRule[],
  tag: string,
  undecided: TagRule | undefined,
  actor: { readonly id: UserId | undefined; readonly teamIds: ReadonlySet<TeamId> },
): Verdict {
  if (undecided) {
    const pattern = undecided.name_pattern.slice(0, 200)
    return deny(
      'tag_protected',
      `tag ${tag} is protected: its rule ${pattern} is invalid or takes too long; correct the rule`,
    )
  }
  if (about.length === 0) return allow
  const isAllowed = about.some(
    (rule) =>
      (actor.id !== undefined && rule.user_ids.includes(actor.id)) || rule.team_ids.some((id) => actor.teamIds.has(id)),
  )
  return isAllowed ? allow : deny('tag_protected', `tag ${tag} is protected: you are not on the list of its rule`)
}
