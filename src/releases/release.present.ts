import type { Ctx } from '../access/context.ts'
import { loadArchiveDownloads } from '../code/branches/tag.present.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { pluck } from '../lib/pluck.ts'
import { presentAttachment } from '../attachments/attachment.present.ts'
import { escapePath } from '../lib/escape-url.ts'
import { formatUnix } from '../lib/time.ts'
import { repoApiUrl, repoWebUrl, type RepoAddress } from '../repos/repo-url.ts'
import { presentWriter } from '../users/user.present.ts'
import { loadReleaseDetails } from './release-details.store.ts'
import type { Release } from './release.schemas.ts'

type PresentCtx = Pick<Ctx, 'config' | 'db'> & RepoAddress & { readonly repo: RepoRow }

/** Presents releases of one repository, with one statement each for publishers, files and archive downloads. */
export async function presentReleases(ctx: PresentCtx, rows: readonly ReleaseRow[]): Promise<Release[]> {
  if (rows.length === 0) return []
  const [details, downloads] = await Promise.all([
    loadReleaseDetails(ctx.db, rows),
    loadArchiveDownloads(ctx, pluck(rows, 'tag_name')),
  ])
  const [api, web] = [repoApiUrl(ctx), repoWebUrl(ctx)]
  return details.map(({ release: row, publisher, files }) => {
    const url = `${api}/releases/${row.id}`
    const tag = escapePath(row.tag_name)
    return {
      id: row.id,
      tag_name: row.tag_name,
      target_commitish: row.target,
      name: row.title,
      body: row.content,
      url,
      html_url: `${web}/releases/tag/${tag}`,
      tarball_url: `${web}/archive/${tag}.tar.gz`,
      zipball_url: `${web}/archive/${tag}.zip`,
      hide_archive_links: row.hides_archive_links,
      upload_url: `${url}/assets`,
      draft: row.is_draft,
      prerelease: row.is_prerelease,
      created_at: formatUnix(row.created_unix),
      published_at: formatUnix(row.created_unix),
      // The author as guests see the account (contract, releases: author).
      author: presentWriter({ config: ctx.config, viewer: undefined }, publisher, row.original_author),
      assets: files.map((file) => presentAttachment(ctx, file)),
      archive_download_count: downloads(row.tag_name),
    }
  })
}

export async function presentRelease(ctx: PresentCtx, row: ReleaseRow): Promise<Release> {
  const [presented] = await presentReleases(ctx, [row])
  return presented as Release
}
