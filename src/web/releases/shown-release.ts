import type { RepoCtx } from '../../access/context.ts'
import type { ReleaseRow } from '../../db/tables/releases.ts'
import { getReleaseDetails, latestReleaseId, type ReleaseDetails } from '../../releases/release-details.service.ts'
import { pathOf } from '../ui/paths.ts'
import { renderTexts } from '../ui/render-texts.ts'

/** A release with its rendered notes. */
export interface ShownRelease extends ReleaseDetails {
  /** Sanitised. */
  readonly html: string
  readonly isLatest: boolean
}

/** Returns releases with publishers, files and rendered notes. */
export async function showReleases(ctx: RepoCtx, rows: readonly ReleaseRow[]): Promise<readonly ShownRelease[]> {
  const [details, latest, html] = await Promise.all([
    getReleaseDetails(ctx, rows),
    latestReleaseId(ctx),
    renderTexts(
      ctx,
      rows.map((row) => [row.id, row.content, `release-${row.id}`] as const),
    ),
  ])
  return details.map((each) => ({
    ...each,
    html: html.get(each.release.id) ?? '',
    isLatest: each.release.id === latest,
  }))
}

/** Returns the path of a release's page. */
export const releasePath = ({ owner, repo }: Pick<RepoCtx, 'owner' | 'repo'>, tag: string): string =>
  pathOf(owner.name, repo.name, 'releases', 'tag', tag)

/** Returns the path of the feed of a repository's releases. */
export const releaseFeedPath = ({ owner, repo }: Pick<RepoCtx, 'owner' | 'repo'>): string =>
  `${pathOf(owner.name, repo.name, 'releases')}.atom`
