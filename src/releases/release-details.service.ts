import type { RepoCtx } from '../access/context.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import type { ReleaseId } from '../lib/ids.ts'
import { loadReleaseDetails, type ReleaseDetails } from './release-details.store.ts'
import { findLatestRelease } from './release.store.ts'

export type { ReleaseDetails } from './release-details.store.ts'

/** Returns the publishers and files of releases, with one statement each. */
export const getReleaseDetails = (
  { db }: Pick<RepoCtx, 'db'>,
  rows: readonly ReleaseRow[],
): Promise<readonly ReleaseDetails[]> => loadReleaseDetails(db, rows)

/** Returns the id of the newest release that is neither a draft nor a pre-release, if any. */
export const latestReleaseId = async ({ db, repo }: RepoCtx): Promise<ReleaseId | undefined> =>
  (await findLatestRelease(db, repo.id))?.id
