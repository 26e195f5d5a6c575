import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { isValidTagName } from '../../lib/ref-name.ts'
import { Conflict, Invalid, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { tagRef, zeroOid } from '../../lib/refs.ts'
import { refusalOf } from './branch.service.ts'
import { callerIdentity } from '../commits/commit-identities.ts'
import { revisionOrDefault } from '../commits/named-commit.service.ts'
import { checkProtections } from '../../refs/protection/protection.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs, type RefChange } from '../../refs/changes/ref-door.service.ts'
import { countTags, findTag, hasRelease, listTags } from './tag.store.ts'

export interface TagFacts {
  readonly name: string
  readonly oid: Oid
  readonly commit_oid: Oid
}

/** The tag with a name. Throws `NotFound`. */
export async function getTag(ctx: RepoCtx, name: string): Promise<TagFacts> {
  const tag = await findTag(ctx.db, ctx.repo.id, name)
  if (!tag) throw new NotFound(`there is no tag ${name}`, 'tag_not_found')
  return tag
}

/** A page of tags, newest first, and their number. */
export async function getTagPage(
  ctx: Pick<RepoCtx, 'db' | 'repo'>,
  page: Page,
): Promise<{ tags: readonly TagFacts[]; total: number }> {
  const [tags, total] = await rowsAndTotal(page, listTags(ctx.db, ctx.repo.id, page), countTags(ctx.db, ctx.repo.id))
  return { tags, total }
}

/**
 * Creates a tag; a message makes it annotated. Throws `Invalid` for a malformed or protected name, `Conflict` for an
 * existing one, `NotFound` for an unknown target.
 */
export async function createTag(
  ctx: SignedInRepoCtx,
  name: string,
  options: { readonly message: string | undefined; readonly target: string | undefined },
): Promise<TagFacts> {
  const { git, repo } = ctx
  if (!isValidTagName(name)) throw new Invalid(`[tag_name]: ${name} is not a valid tag name`, 'tag_name_invalid')
  const { commit } = await revisionOrDefault(ctx, options.target)
  if (await git.readRef(repo.git_key, tagRef(name))) throw new Conflict(`there is a tag ${name} already`, 'tag_exists')
  const none = zeroOid(repo.object_format)
  await mustBeAllowed(ctx, { ref: tagRef(name), old: none, new: commit })
  const message = options.message?.trim() ?? ''
  const oid = message === '' ? commit : await writeTag(ctx, name, commit, message)
  await move(ctx, { ref: tagRef(name), old: none, new: oid })
  return { name, oid, commit_oid: commit }
}

const writeTag = (ctx: SignedInRepoCtx, name: string, target: Oid, message: string): Promise<Oid> =>
  ctx.git.writeTag(ctx.repo.git_key, {
    name,
    target,
    targetType: 'commit',
    tagger: { ...callerIdentity(ctx), unixSeconds: Math.floor(ctx.clock.nowMs() / 1000), offsetMinutes: 0 },
    message,
  })

/** Deletes a tag. Throws `Conflict` when it has a release, `Invalid` when it is protected. */
export async function removeTag(ctx: SignedInRepoCtx, name: string): Promise<void> {
  const { oid } = await getTag(ctx, name)
  if (await hasRelease(ctx.db, ctx.repo.id, name)) {
    throw new Conflict(`the tag ${name} has a release, which must be deleted first`, 'tag_has_release')
  }
  const update = { ref: tagRef(name), old: oid, new: zeroOid(ctx.repo.object_format) }
  await mustBeAllowed(ctx, update)
  await move(ctx, update)
}

async function mustBeAllowed(ctx: RepoCtx, update: RefChange): Promise<void> {
  const [refusal] = await checkProtections(ctx, [update])
  if (refusal) throw new Invalid(refusal.reason, refusal.code)
}

async function move(ctx: SignedInRepoCtx, update: RefChange): Promise<void> {
  const result = await moveRefs(ctx, codeOf(ctx.repo), [update], { doerId: ctx.viewer.id, via: 'api' })
  if (!result.ok) throw refusalOf(result)
}
