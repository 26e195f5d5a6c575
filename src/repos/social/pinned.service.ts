import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { Invalid } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { must } from '../../lib/verdict.ts'
import { orgRoleOf } from '../../orgs/role.service.ts'
import { withOwners, type OwnedRepo } from '../lists/browse.service.ts'
import { mayPinRepos } from './pinned.policy.ts'
import { listNamedRepos, listPinnedRepos, replacePinnedRepos } from './pinned.store.ts'

/** Most repositories that the page of an account begins with. */
export const maxPinned = 6

/** Returns the pinned repositories of an account that the viewer sees, in the order of the account. */
export const getPinnedRepos = async (ctx: SubjectCtx): Promise<readonly OwnedRepo[]> =>
  withOwners(ctx, await listPinnedRepos(ctx.db, ctx.subject, ctx.viewer))

type PinningCtx = SignedInCtx & Pick<SubjectCtx, 'subject'>

/** Throws `Forbidden` unless the viewer chooses the pinned repositories of the account. */
export async function mustPin(ctx: PinningCtx): Promise<void> {
  const { viewer, subject } = ctx
  must(mayPinRepos(viewer, subject, subject.kind === 'organization' ? await orgRoleOf(ctx, subject) : undefined))
}

/** Returns the path segments of a name. A name without an owner is that of a repository of the account. */
const namesOf = (typed: string, ownerName: string) => {
  const [first = '', ...rest] = typed.toLowerCase().split('/')
  return rest.length === 0
    ? { typed, owner: ownerName.toLowerCase(), name: first }
    : { typed, owner: first, name: rest.join('/') }
}

/**
 * Replaces the pinned repositories of the account by the named ones, in this order. Those that the viewer cannot see any more
 * are unpinned.
 * @throws Invalid for more than six, for a repository that the viewer does not see, and for one of another owner among
 *     those of an organization
 */
export async function pinRepos(ctx: PinningCtx, typed: readonly string[]): Promise<void> {
  await mustPin(ctx)
  const { db, viewer, subject } = ctx
  const names = typed.map((each) => namesOf(each, subject.name))
  const keyOf = ({ owner, name }: { readonly owner: string; readonly name: string }) => `${owner}/${name}`
  const wanted = new Map(names.map((each) => [keyOf(each), each]))
  if (wanted.size > maxPinned) {
    throw new Invalid(`[repositories]: at most ${maxPinned} repositories are pinned`, 'pins_too_many')
  }
  const found = wanted.size === 0 ? [] : await listNamedRepos(db, [...wanted.values()], viewer)
  const ids = new Map(found.map((repo) => [keyOf({ owner: repo.owner_lower_name, name: repo.lower_name }), repo.id]))
  const unknown = [...wanted].find(([key]) => !ids.has(key))
  if (unknown) {
    throw new Invalid(`[repositories]: there is no repository ${unknown[1].typed}`, 'pin_unknown', {
      name: unknown[1].typed,
    })
  }
  if (subject.kind === 'organization' && found.some((repo) => repo.owner_id !== subject.id)) {
    throw new Invalid('[repositories]: an organization pins its own repositories', 'pin_of_another')
  }
  await transaction(db, (tx) =>
    replacePinnedRepos(
      tx,
      subject.id,
      [...wanted.keys()].map((key) => ids.get(key) as RepoId),
    ),
  )
}
