import type { RepoCtx } from '../../access/context.ts'
import type { ReleaseRow } from '../../db/tables/releases.ts'
import { getReleaseDetails, latestReleaseId, type ReleaseDetails } from '../../releases/release-details.service.ts'
import { renderText } from '../../site/render.service.ts'
import { pathOf } from '../ui/paths.ts'

/** A release with its rendered notes. */
export interface ShownRelease extends ReleaseDetails {
  /** Sanitised. */
  readonly html: string
  readonly isLatest: boolean
}

/** Number of texts rendered concurrently, so that a page does not fill the queue of the renderer. */
const rendersAtOnce = 4

/** Returns releases with publishers, files and rendered notes. */
export async function showReleases(ctx: RepoCtx, rows: readonly ReleaseRow[]): Promise<readonly ShownRelease[]> {
  const [details, latest] = await Promise.all([getReleaseDetails(ctx, rows), latestReleaseId(ctx)])
  const place = { context: pathOf(ctx.owner.name, ctx.repo.name) }
  const shown: ShownRelease[] = []
  for (let at = 0; at < details.length; at += rendersAtOnce) {
    shown.push(
      ...(await Promise.all(
        details.slice(at, at + rendersAtOnce).map(async (each) => ({
          ...each,
          html: await renderText(ctx, each.release.content, 'comment', place, ctx),
          isLatest: each.release.id === latest,
        })),
      )),
    )
  }
  return shown
}

/** Returns the path of a release's page. */
export const releasePath = ({ owner, repo }: Pick<RepoCtx, 'owner' | 'repo'>, tag: string): string =>
  pathOf(owner.name, repo.name, 'releases', 'tag', tag)
