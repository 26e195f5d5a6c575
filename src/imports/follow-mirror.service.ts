import type { Ctx } from '../access/context.ts'
import { addFile, removeFiles } from '../attachments/attachment-row.service.ts'
import { attachedName } from '../attachments/attachment.rules.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { MirrorRow } from '../db/tables/mirrors.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { isValidTagName } from '../lib/ref-name.ts'
import { enqueue } from '../jobs/queue.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { Invalid } from '../lib/errors.ts'
import type { RepoId } from '../lib/ids.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { nowUnix } from '../lib/time.ts'
import { fetchRemoteObjects } from '../lfs/objects/remote-objects.service.ts'
import { wikiOf } from '../refs/git-repository.ts'
import { addRelease, changeRelease, dropRelease } from '../releases/release-record.service.ts'
import { listFilesOfReleases } from '../releases/asset.store.ts'
import { findReleaseForUpdate } from '../releases/release.store.ts'
import { followRemote, originalOf, problemOf } from '../repos/mirrors/mirror.service.ts'
import { findMirror, updateMirror } from '../repos/mirrors/mirror.store.ts'
import { migrationClient } from '../repos/mirrors/migration-client.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { findUserById } from '../users/user.store.ts'
import { indexWikiPages } from '../wiki/index-wiki-pages.job.ts'
import { takeRemoteWiki, wikiAddressOf } from '../wiki/remote-wiki.service.ts'
import {
  fetchAsset,
  assetOwnerOf,
  parallelDownloads,
  type NewFile,
  type ReleaseTarget,
} from './import-releases.service.ts'
import { timeOr, writerOf } from './import-run.ts'
import { listReleasesOf } from './import-rows.store.ts'
import { isSourceKind, openSource, type SourceCredentials } from './sources/open-source.ts'
import { RetryLater, SourceProblem } from './sources/source-problem.ts'
import type { Source, SourceRelease } from './sources/source.ts'

/** The items that a mirror can follow besides references. */
export const followedItems = ['wiki', 'lfs', 'releases'] as const
type FollowedItem = (typeof followedItems)[number]

/** Most releases that a mirror follows. */
const maxReleases = 10_000

interface Following {
  readonly ctx: Ctx
  readonly repo: RepoRow
  readonly owner: UserRow
  readonly mirror: MirrorRow
  readonly signal: AbortSignal
}

/**
 * Updates the wiki, LFS objects and releases of a mirror from its source. A failure of one does not stop the others; it is stored
 * with the mirror until the next update.
 */
export async function followMirror(ctx: Ctx, repoId: RepoId, signal: AbortSignal): Promise<void> {
  const [repo, mirror] = await Promise.all([findRepoById(ctx.db, repoId), findMirror(ctx.db, repoId)])
  const owner = repo && (await findUserById(ctx.db, repo.owner_id))
  if (!repo || !mirror || !owner || !repo.is_mirror || owner.kind === 'reserved') return
  const following: Following = { ctx, repo, owner, mirror, signal }
  const problems: string[] = []
  for (const item of JSON.parse(mirror.follows) as FollowedItem[]) {
    signal.throwIfAborted()
    const problem = await problemOf(() => asInvalid(() => followItem[item](following)))
    if (problem !== undefined) problems.push(`${item}: ${problem}`)
  }
  if (problems.length === 0) return
  ctx.log('warn', 'a mirror was updated only in part', { repoId, problems })
  await transaction(ctx.db, (tx) => updateMirror(tx, repoId, { last_error: problems.join('\n').slice(0, 1000) }))
}

async function asInvalid(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof SourceProblem || error instanceof RetryLater) {
      throw new Invalid(error.message, 'remote_api_failed')
    }
    throw error
  }
}

const followItem: Readonly<Record<FollowedItem, (following: Following) => Promise<void>>> = {
  async wiki({ ctx, repo, mirror, signal }) {
    const original = originalOf(ctx, mirror)
    if (repo.wiki_git_key !== null) {
      const options = { prunes: mirror.prunes, doerId: repo.owner_id, signal }
      return followRemote(ctx, wikiOf(repo, repo.wiki_git_key), wikiAddressOf(original), options)
    }
    if (await takeRemoteWiki(ctx, repo, original, signal)) {
      await transaction(ctx.db, (tx) => enqueue(tx, indexWikiPages, { repoId: repo.id }))
    }
  },
  async lfs({ ctx, repo, owner, mirror, signal }) {
    if (!ctx.config.server.lfsStartServer) return
    const { missing } = await fetchRemoteObjects({ ...ctx, repo, owner }, originalOf(ctx, mirror), { signal })
    if (missing.length > 0) {
      throw new Invalid(
        `${missing.length} LFS objects are missing on the source server, such as ${missing[0]}`,
        'remote_lfs_missing',
      )
    }
  },
  async releases(following) {
    const source = openApi(following)
    if (!source?.releases) return
    const { ctx, repo, owner, signal } = following
    const home: ReleaseTarget = { ctx, repo, source, signal, notes: [], ownAuthor: undefined, doer: owner }
    const known = new Map((await listReleasesOf(ctx.db, repo.id)).map((row) => [row.lower_tag_name, row]))
    let position: string | undefined
    const seen = new Set<string>()
    do {
      const { items, next } = await source.releases(position)
      for (const release of items) {
        const lowerTag = release.tagName.toLowerCase()
        // Drafts are private to their authors.
        if (release.isDraft || seen.has(lowerTag) || !isValidTagName(release.tagName)) continue
        seen.add(lowerTag)
        await followRelease(home, release, known.get(lowerTag))
      }
      position = next
    } while (position !== undefined && seen.size < maxReleases)
    if (!following.mirror.prunes || position !== undefined) return
    const gone = [...known.values()].filter((row) => !seen.has(row.lower_tag_name))
    for (const row of gone) await transaction(ctx.db, (tx) => dropRelease(tx, row.id, owner.id))
  },
}

function openApi({ ctx, mirror, signal }: Following): Source | undefined {
  if (!isSourceKind(mirror.service)) return undefined
  const { url, credentials } = originalOf(ctx, mirror)
  const opening = credentials && { token: '', ...(credentials as Partial<SourceCredentials> & typeof credentials) }
  return openSource(mirror.service, url, opening, {
    outgoing: migrationClient.of(ctx),
    attempts: ctx.config.migrations.maxAttempts,
    retryDelayMs: ctx.config.migrations.retryBackoff * 1000,
    signal,
    nowMs: () => ctx.clock.nowMs(),
  })
}

/** Creates a release, or updates its text and files to those of the source. */
async function followRelease(home: ReleaseTarget, source: SourceRelease, known: ReleaseRow | undefined): Promise<void> {
  const { ctx, repo, doer } = home
  home.signal.throwIfAborted()
  const present = known ? await listFilesOfReleases(ctx.db, [known.id]) : []
  const names = new Set(present.map((file) => file.name))
  const wanted = new Set(source.assets.map((asset) => attachedName(asset.name)))
  const missing = source.assets.filter((asset) => !names.has(attachedName(asset.name)))
  const files = (
    await mapLimited(missing, parallelDownloads, (asset) => fetchAsset(home, assetOwnerOf(source), asset))
  ).filter((file): file is NewFile => file !== undefined)
  const fields = {
    target: source.target,
    title: keptTitle(source.title),
    content: source.content,
    is_draft: false,
    is_prerelease: source.isPrerelease,
  }
  await transaction(ctx.db, async (tx) => {
    const held = known && (await findReleaseForUpdate(tx, known.id))
    const writer = writerOf(home, source.author)
    const release = held
      ? await changeRelease(tx, held, fields, doer.id)
      : await addRelease(
          tx,
          {
            ...fields,
            repo_id: repo.id,
            tag_name: source.tagName,
            lower_tag_name: source.tagName.toLowerCase(),
            hides_archive_links: false,
            publisher_id: writer.id,
            original_author: writer.originalAuthor,
            created_unix: timeOr(source.createdUnix, nowUnix(ctx.clock)),
          },
          doer.id,
        )
    for (const file of files) await addFile(tx, { ...file, release_id: release.id }, doer.id)
    const dropped = present.filter((file) => !wanted.has(file.name)).map((file) => file.id)
    await removeFiles(tx, repo.id, dropped, doer.id)
  })
}
