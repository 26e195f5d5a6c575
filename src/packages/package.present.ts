import type { Ctx, SubjectCtx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { pluck } from '../lib/pluck.ts'
import { escapeSegment } from '../lib/escape-url.ts'
import { formatUnix } from '../lib/time.ts'
import { isVisible, loadViews, presentViews } from '../repos/repo.present.ts'
import { loadRepos } from '../repos/repo.store.ts'
import { presentAuthor, presentUser } from '../users/user.present.ts'
import { loadUsers } from '../users/user.store.ts'
import type { FileRecord } from './content/file.store.ts'
import type { Package, PackageFile } from './package.schemas.ts'
import type { VersionRecord } from './package.store.ts'

type PresentCtx = Pick<SubjectCtx, 'config' | 'db' | 'viewer' | 'subject'>

/** The columns of a version that are presented; the version may be deleted already. */
export type ShownVersion = Pick<
  VersionRecord,
  'id' | 'repo_id' | 'creator_id' | 'type' | 'name' | 'lower_name' | 'version' | 'lower_version' | 'created_unix'
>

/** Presents versions of one owner, with one query for the creators and a few for linked repositories. */
export async function presentVersions(ctx: PresentCtx, versions: readonly ShownVersion[]): Promise<Package[]> {
  if (versions.length === 0) return []
  const [creators, repos] = await Promise.all([
    loadUsers(ctx.db, pluck(versions, 'creator_id')),
    presentLinked(ctx, versions),
  ])
  const owner = presentUser(ctx, ctx.subject)
  return versions.map((version) => ({
    id: version.id,
    owner,
    repository: repos.get(version.repo_id ?? 0) ?? null,
    creator: presentAuthor(ctx, creators.get(version.creator_id)),
    type: version.type,
    name: version.name,
    version: version.version,
    html_url: packageWebUrl(ctx.config, ctx.subject, version),
    created_at: formatUnix(version.created_unix),
  }))
}

export async function presentVersion(ctx: PresentCtx, version: ShownVersion): Promise<Package> {
  const [presented] = await presentVersions(ctx, [version])
  return presented as Package
}

/** Presents the linked repositories that the viewer may see, by id. */
async function presentLinked(ctx: PresentCtx, versions: readonly ShownVersion[]) {
  const rows = await loadRepos(ctx.db, pluck(versions, 'repo_id'))
  const views = (await loadViews(ctx, [...rows.values()])).filter(isVisible)
  return new Map((await presentViews(ctx, views)).map((repo) => [repo.id, repo]))
}

/** Returns the URL of the page with an owner's packages. */
export const packagesWebUrl = (config: Ctx['config'], owner: Pick<UserRow, 'name'>): string =>
  `${config.server.rootUrl}${escapeSegment(owner.name)}/-/packages`

/** Returns the URL of a version's page; names in it are in lower case (observed). */
export function packageWebUrl(
  config: Ctx['config'],
  owner: Pick<UserRow, 'name'>,
  { type, lower_name, lower_version }: Pick<VersionRecord, 'type' | 'lower_name' | 'lower_version'>,
): string {
  const segments = [owner.name, '-', 'packages', type, lower_name, lower_version]
  return config.server.rootUrl + segments.map(escapeSegment).join('/')
}

export const presentFile = (file: FileRecord): PackageFile => ({
  id: file.id,
  Size: file.size_bytes,
  name: file.name,
  md5: file.md5,
  sha1: file.sha1,
  sha256: file.sha256,
  sha512: file.sha512,
})
