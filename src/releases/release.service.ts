import type { RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { refusalOf } from '../code/branches/branch.service.ts'
import { revisionOrDefault } from '../code/commits/named-commit.service.ts'
import { findTag } from '../code/branches/tag.store.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { ReleaseChange, ReleaseRow } from '../db/tables/releases.ts'
import type { TagRow } from '../db/tables/repositories.ts'
import { isValidTagName } from '../lib/ref-name.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '../lib/errors.ts'
import type { ReleaseId } from '../lib/ids.ts'
import { pluck } from '../lib/pluck.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { tagRef, zeroOid } from '../lib/refs.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { codeOf } from '../refs/git-repository.ts'
import { checkProtections } from '../refs/protection/protection.service.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { addRelease, changeRelease, dropRelease, releaseTagEffect } from './release-record.service.ts'
import { mayReadDrafts, mayReadRelease } from './release.policy.ts'
import {
  addToReleaseCount,
  countReleases,
  findLatestRelease,
  findRelease,
  findReleaseByTag,
  findReleaseForUpdate,
  findTagForUpdate,
  listPublishedOfTags,
  listReleases,
} from './release.store.ts'

const noRelease = () => new NotFound('the release does not exist', 'release_not_found')

/** Returns a release that the viewer can read. Throws `NotFound`, also for a draft without write access. */
export const getRelease = async (ctx: RepoCtx, id: number): Promise<ReleaseRow> =>
  readable(ctx, await findRelease(ctx.db, ctx.repo.id, id as ReleaseId))

/** Returns a release by its tag, ignoring letter case. Throws `NotFound`. */
export const getReleaseByTag = async (ctx: RepoCtx, tag: string): Promise<ReleaseRow> =>
  readable(ctx, await findReleaseByTag(ctx.db, ctx.repo.id, tag))

/** Returns the newest release that is neither a draft nor a pre-release. */
export const getLatestRelease = async (ctx: RepoCtx): Promise<ReleaseRow> =>
  readable(ctx, await findLatestRelease(ctx.db, ctx.repo.id))

/** Returns which of some tags have a published release that the viewer can read. */
export async function getReleasedTags(ctx: RepoCtx, tags: readonly string[]): Promise<ReadonlySet<string>> {
  if (ctx.rights.modeOf('releases') === 0) return new Set()
  return new Set(pluck(await listPublishedOfTags(ctx.db, ctx.repo.id, tags), 'tag_name'))
}

function readable(ctx: RepoCtx, release: ReleaseRow | undefined): ReleaseRow {
  if (!release || !mayReadRelease(ctx.rights, release).allowed) throw noRelease()
  return release
}

/** The filters of a list of releases. */
export interface ReleaseQuery {
  readonly isDraft: boolean | undefined
  readonly isPrerelease: boolean | undefined
  /** A part of the tag, the title or the text. */
  readonly text: string | undefined
}

/** Returns one page of the releases that the viewer can read, the newest first, and their number. */
export async function getReleasePage(
  ctx: RepoCtx,
  query: ReleaseQuery,
  page: Page,
): Promise<{ readonly releases: readonly ReleaseRow[]; readonly total: number }> {
  const filter = { ...query, text: query.text?.trim(), withDrafts: mayReadDrafts(ctx.rights).allowed }
  const [releases, total] = await rowsAndTotal(
    page,
    listReleases(ctx.db, ctx.repo.id, filter, page),
    countReleases(ctx.db, ctx.repo.id, filter),
  )
  return { releases, total }
}

/** The properties of a new or changed release. */
export interface ReleaseInput {
  readonly tagName: string | undefined
  /** The branch, tag or commit of a new tag. */
  readonly target: string | undefined
  readonly title: string | undefined
  readonly content: string | undefined
  readonly isDraft: boolean | null | undefined
  readonly isPrerelease: boolean | null | undefined
  readonly hidesArchiveLinks: boolean | null | undefined
  /** Empty titles and texts are written too; by default they change nothing. */
  readonly clearsTexts?: boolean
}

/** Most attempts when the tag is created or deleted concurrently. */
const maxAttempts = 3

/**
 * Creates a release. When the tag of a published release is missing, tag and release are created together: both exist or
 * neither does. Throws `Conflict` for a used tag, `NotFound` for an unknown target, and `Invalid` for a protected tag, a bad
 * name and an empty repository.
 */
export async function createRelease(ctx: SignedInRepoCtx, tagName: string, input: ReleaseInput): Promise<ReleaseRow> {
  const { repo, viewer } = ctx
  if (repo.is_empty) throw new Invalid('the repository is empty', 'repo_empty')
  checkTagName(tagName)
  const isDraft = input.isDraft ?? false
  if (!isDraft) await mustBeAllowedOnTags(ctx, [tagName])
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const tag = await findTag(ctx.db, repo.id, tagName)
    const fields = {
      // The target is ignored for an existing tag.
      target: input.target || (tag ? '' : repo.default_branch),
      title: input.title ?? '',
      content: input.content ?? '',
      is_prerelease: input.isPrerelease ?? false,
      hides_archive_links: input.hidesArchiveLinks ?? false,
      created_unix: (tag && (await timeOf(ctx, tag))) ?? nowUnix(ctx.clock),
    }
    const add = async (tx: Tx) => {
      await mustBeFree(tx, ctx, tagName)
      const names = { tag_name: tagName, lower_tag_name: tagName.toLowerCase() }
      const values = { ...fields, ...names, repo_id: repo.id, is_draft: isDraft, publisher_id: viewer.id }
      return addRelease(tx, values, viewer.id)
    }
    if (isDraft) return transaction(ctx.db, add)
    const made = tag
      ? await withTag(ctx, tagName, add)
      : await makingTag(ctx, tagName, fields.target, { fields }, (tx) => mustBeFree(tx, ctx, tagName))
    if (made) return getReleaseByTag(ctx, tagName)
  }
  throw tagOnTheMove(tagName)
}

/**
 * Changes a release; empty and missing values change nothing. Publishing a draft, or a new tag of a published release, creates
 * a missing tag; the old tag stays. Throws as `createRelease`.
 */
export async function editRelease(ctx: SignedInRepoCtx, release: ReleaseRow, input: ReleaseInput): Promise<ReleaseRow> {
  const { id } = release
  const change = changeOf(ctx, release, input)
  const { tag_name: tagName, target, is_draft: isDraft } = { ...release, ...change }
  const isRenamed = tagName !== release.tag_name
  if (isRenamed) checkTagName(tagName)
  // A release of a protected tag needs the rights that the tag needs.
  const isMoved = isRenamed || isDraft !== release.is_draft
  await mustBeAllowedOnTags(ctx, [
    ...(isMoved && !release.is_draft ? [release.tag_name] : []),
    ...(isMoved && !isDraft ? [tagName] : []),
  ])
  const edit = async (tx: Tx): Promise<ReleaseRow> => {
    if (isRenamed) await mustBeFree(tx, ctx, tagName, id)
    const held = await findReleaseForUpdate(tx, id)
    if (!held) throw noRelease()
    return changeRelease(tx, held, change, ctx.viewer.id)
  }
  if (isDraft || !isMoved) return transaction(ctx.db, edit)
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const isThere = (await findTag(ctx.db, ctx.repo.id, tagName)) !== undefined
    const isMade = isThere
      ? await withTag(ctx, tagName, edit)
      : await makingTag(ctx, tagName, target, { releaseId: id, fields: change }, (tx) =>
          mustBeFree(tx, ctx, tagName, id),
        )
    if (isMade) return getRelease(ctx, id)
  }
  throw tagOnTheMove(tagName)
}

const isGiven = (text: string | undefined, { clearsTexts = false }: ReleaseInput): text is string =>
  text !== undefined && (clearsTexts || text !== '')

/** Returns the changed columns. The creation time of a published draft is the time of its publication. */
function changeOf(ctx: SignedInRepoCtx, release: ReleaseRow, input: ReleaseInput): ReleaseChange & object {
  const isDraft = input.isDraft ?? release.is_draft
  return {
    ...(input.tagName ? { tag_name: input.tagName, lower_tag_name: input.tagName.toLowerCase() } : {}),
    ...(input.target ? { target: input.target } : {}),
    ...(isGiven(input.title, input) ? { title: input.title } : {}),
    ...(isGiven(input.content, input) ? { content: input.content } : {}),
    ...(input.isDraft === undefined || input.isDraft === null ? {} : { is_draft: input.isDraft }),
    ...(input.isPrerelease === undefined || input.isPrerelease === null ? {} : { is_prerelease: input.isPrerelease }),
    ...(input.hidesArchiveLinks === undefined || input.hidesArchiveLinks === null
      ? {}
      : { hides_archive_links: input.hidesArchiveLinks }),
    ...(release.is_draft && !isDraft ? { created_unix: nowUnix(ctx.clock) } : {}),
  }
}

/** Deletes a release; its tag stays. Throws `Invalid` for a protected tag that the viewer must not delete. */
export async function removeRelease(ctx: SignedInRepoCtx, release: ReleaseRow): Promise<void> {
  if (!release.is_draft) await mustBeAllowedOnTags(ctx, [release.tag_name])
  await transaction(ctx.db, async (tx) => {
    if (!(await dropRelease(tx, release.id, ctx.viewer.id))) throw noRelease()
  })
}

function checkTagName(name: string): void {
  if (!isValidTagName(name)) throw new Invalid(`[tag_name]: ${name} is no valid name of a tag`, 'tag_name_invalid')
}

const tagOnTheMove = (name: string) => new Conflict(`the tag ${name} is being changed; try again`, 'tag_changed')

/**
 * Returns the creation time of a tag; for a pushed tag the time of its commit (observed). Undefined for pushed tags of blobs
 * and trees.
 */
async function timeOf({ git, repo }: RepoCtx, tag: TagRow): Promise<Unix | undefined> {
  if (tag.made_unix > 0) return tag.made_unix
  const found = await git.resolve(repo.git_key, tag.commit_oid)
  return found?.commit && (await git.readCommit(repo.git_key, found.commit)).committer.unixSeconds
}

async function mustBeAllowedOnTags(ctx: RepoCtx, tags: readonly string[]): Promise<void> {
  const changes = tags.map((tag) => ({
    ref: tagRef(tag),
    kind: 'create' as const,
    paths: [],
    unsignedCommit: undefined,
  }))
  const [refusal] = await checkProtections(ctx, changes)
  if (refusal) throw new Invalid(refusal.reason, refusal.code)
}

/**
 * Throws `Conflict` when another release has the tag. The caller holds the repository's row, so
 * that one of several concurrent requests gets the tag.
 */
async function mustBeFree(tx: Tx, { repo }: RepoCtx, tagName: string, but?: ReleaseId): Promise<void> {
  await addToReleaseCount(tx, repo.id, 0)
  const used = await findReleaseByTag(tx, repo.id, tagName)
  const isTaken = used !== undefined && used.id !== but
  if (isTaken) {
    throw new Conflict(`there is a release of the tag ${tagName} already`, 'release_exists')
  }
}

/** Runs a transaction that locks the tag. Returns false when the tag does not exist. */
const withTag = (ctx: RepoCtx, tagName: string, act: (tx: Tx) => Promise<ReleaseRow>): Promise<boolean> =>
  transaction(ctx.db, async (tx) => {
    if (!(await findTagForUpdate(tx, ctx.repo.id, tagName))) return false
    await act(tx)
    return true
  })

/** Creates a lightweight tag, and the release in the same transaction. Returns false when the tag exists by now. */
async function makingTag(
  ctx: SignedInRepoCtx,
  tagName: string,
  target: string,
  release: { readonly releaseId?: ReleaseId; readonly fields: ReleaseChange & object },
  before: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  const { repo, viewer } = ctx
  if (repo.is_mirror) throw new Forbidden('the tags of a mirror cannot be changed', 'repo_is_mirror')
  const { commit } = await revisionOrDefault(ctx, target)
  const made = { ref: tagRef(tagName), old: zeroOid(repo.object_format), new: commit }
  const effect = releaseTagEffect({ tagName, doerId: viewer.id, ...release })
  const origin = { doerId: viewer.id, via: 'api' } as const
  const result = await moveRefs(ctx, codeOf(repo), [made], origin, { effect, before })
  if (result.ok) return true
  if (result.reason === 'exists' || result.reason === 'stale') return false
  throw refusalOf(result)
}
