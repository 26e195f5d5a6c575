import type { SignedInRepoCtx } from '../access/context.ts'
import type { PushExtras } from '../access/contributions/push-extras.ts'
import type { RefEffect } from '../access/contributions/ref-effect.ts'
import type { Commit, ReadFrom } from '../git/git.ts'
import type { PushCheck, PushedUpdate } from '../git/git-service.ts'
import type { GitKey, Oid } from '../lib/ids.ts'
import { branchOf, branchRef, isZeroOid } from '../lib/refs.ts'
import { firstHeadOf } from '../refs/changes/ref-door.service.ts'
import { isPage, withoutEnding } from './page-name.rules.ts'
import { publishPageEvent, eventMessage, type PageEvent } from './page-event.ts'

/** Most events of one push. */
const maxEvents = 100

/** Larger trees are not compared. A tree of this size has about 200,000 files at the root. */
const maxTreeBytes = 8 << 20

/** A push to a wiki publishes the same events as edits of its pages. */
export const wikiPushExtras = (ctx: SignedInRepoCtx, gitKey: GitKey): PushExtras => ({
  follows: (check) => planPageEvents(ctx, gitKey, check),
})

async function planPageEvents(ctx: SignedInRepoCtx, gitKey: GitKey, check: PushCheck): Promise<RefEffect | undefined> {
  const { git } = ctx
  const update = await mainUpdate(ctx, gitKey, check.updates)
  if (!update) return undefined
  const commit = await git.readCommit(check.quarantine, update.new)
  const [before, after] = await Promise.all([
    isZeroOid(update.old) ? new Map<string, Oid>() : pagesAt(git, gitKey, await git.readCommit(gitKey, update.old)),
    pagesAt(git, check.quarantine, commit),
  ])
  const pages = before && after ? changedPages(before, after).slice(0, maxEvents) : []
  if (pages.length === 0) return undefined
  const about = { repoId: ctx.repo.id, doerId: ctx.viewer.id, message: eventMessage(commit.message) }
  return async (tx, { moved }) => {
    if (!moved.some(({ ref }) => ref === update.ref)) return
    for (const page of pages) await publishPageEvent(tx, about, page)
  }
}

/** Returns the update of the wiki's branch, which the first push decides. */
async function mainUpdate(
  { git, repo }: SignedInRepoCtx,
  gitKey: GitKey,
  updates: readonly PushedUpdate[],
): Promise<PushedUpdate | undefined> {
  const pushed = updates.filter((update) => branchOf(update.ref) !== undefined && !isZeroOid(update.new))
  const main = branchRef(repo.wiki_branch)
  const own = pushed.find(({ ref }) => ref === main)
  if (own || pushed.length === 0 || (await git.readRef(gitKey, main)) !== undefined) return own
  const chosen = firstHeadOf(pushed.flatMap(({ ref }) => branchOf(ref) ?? []))
  return pushed.find(({ ref }) => branchOf(ref) === chosen)
}

/** Returns the pages of a commit; undefined when the tree is too large. */
async function pagesAt(
  git: SignedInRepoCtx['git'],
  at: ReadFrom,
  { tree }: Commit,
): Promise<ReadonlyMap<string, Oid> | undefined> {
  const info = await git.objectInfo(at, tree)
  if (info && info.sizeBytes > maxTreeBytes) return undefined
  const entries = await git.readTree(at, tree)
  return new Map(entries.filter(isPage).map(({ name, oid }) => [withoutEnding(name), oid]))
}

/** Returns the changed pages. A deleted page and a new page with the same content are one renamed page. */
function changedPages(before: ReadonlyMap<string, Oid>, after: ReadonlyMap<string, Oid>): PageEvent[] {
  const gone = new Map([...before].flatMap(([page, oid]) => (after.has(page) ? [] : [[oid, page] as const])))
  const changes: PageEvent[] = []
  for (const [page, oid] of after) {
    const known = before.get(page)
    if (known === oid) continue
    const oldPage = known === undefined ? gone.get(oid) : undefined
    if (oldPage === undefined) changes.push({ action: known === undefined ? 'created' : 'edited', page })
    else changes.push({ action: 'edited', page, oldPage })
    if (oldPage !== undefined) gone.delete(oid)
  }
  const renamed = new Set(changes.flatMap(({ oldPage }) => oldPage ?? []))
  for (const page of before.keys()) {
    if (!after.has(page) && !renamed.has(page)) changes.push({ action: 'deleted', page })
  }
  return changes
}
