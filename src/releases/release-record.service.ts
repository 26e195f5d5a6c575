import type { RefEffect } from '../access/contributions/ref-effect.ts'
import { removeFiles } from '../attachments/attachment-row.service.ts'
import type { Tx } from '../db/database.ts'
import type { NewReleaseRow, ReleaseChange, ReleaseRow } from '../db/tables/releases.ts'
import { publish } from '../events/hub.ts'
import type { ReleaseId, UserId } from '../lib/ids.ts'
import { listFilesOfReleases } from './asset.store.ts'
import {
  addToReleaseCount,
  deleteReleaseRow,
  findReleaseForUpdate,
  insertRelease,
  updateRelease,
} from './release.store.ts'

const factsOf = ({ id: releaseId, repo_id: repoId }: ReleaseRow, doerId: UserId) => ({ repoId, releaseId, doerId })

/** Inserts a release, counts it and publishes the event. */
export async function addRelease(tx: Tx, values: NewReleaseRow, doerId: UserId): Promise<ReleaseRow> {
  const release = await insertRelease(tx, values)
  if (release.is_draft) {
    await publish(tx, 'release.drafted', factsOf(release, doerId))
  } else {
    await addToReleaseCount(tx, release.repo_id, 1)
    await publish(tx, 'release.published', factsOf(release, doerId))
  }
  return release
}

/** Updates a release, whose row `before` the transaction has locked, and publishes the event. An empty change does nothing. */
export async function changeRelease(
  tx: Tx,
  before: ReleaseRow,
  change: ReleaseChange,
  doerId: UserId,
): Promise<ReleaseRow> {
  const differs = (Object.keys(change) as (keyof ReleaseChange)[]).some((key) => change[key] !== before[key])
  if (!differs) return before
  const after = await updateRelease(tx, before.id, change)
  const facts = factsOf(after, doerId)
  if (before.is_draft !== after.is_draft) await addToReleaseCount(tx, after.repo_id, after.is_draft ? -1 : 1)
  if (before.is_draft && !after.is_draft) {
    await publish(tx, 'release.published', facts)
    return after
  }
  await publish(tx, 'release.updated', {
    ...facts,
    isDraft: after.is_draft,
    wasDraft: before.is_draft,
    ...(after.tag_name === before.tag_name ? {} : { oldTagName: before.tag_name }),
    ...(after.title === before.title ? {} : { oldTitle: before.title }),
    ...(after.content === before.content ? {} : { oldContent: before.content }),
  })
  return after
}

/** Deletes a release and its files. Returns false when it was deleted before. */
export async function dropRelease(tx: Tx, id: ReleaseId, doerId: UserId): Promise<boolean> {
  const gone = await deleteReleaseRow(tx, id)
  if (!gone) return false
  const files = await listFilesOfReleases(tx, [id])
  await removeFiles(
    tx,
    gone.repo_id,
    files.map((file) => file.id),
    doerId,
  )
  if (!gone.is_draft) await addToReleaseCount(tx, gone.repo_id, -1)
  await publish(tx, 'release.deleted', {
    ...factsOf(gone, doerId),
    tagName: gone.tag_name,
    target: gone.target,
    title: gone.title,
    content: gone.content,
    isDraft: gone.is_draft,
    isPrerelease: gone.is_prerelease,
    hidesArchiveLinks: gone.hides_archive_links,
    publisherId: gone.publisher_id,
    createdUnix: gone.created_unix,
  })
  return true
}

/**
 * Creates or changes a release in the transaction that makes its tag. Without `releaseId` the release is new.
 */
export const releaseTagEffect =
  (given: {
    readonly tagName: string
    readonly doerId: UserId
    readonly releaseId?: ReleaseId
    readonly fields: ReleaseChange
  }): RefEffect =>
  async (tx, { repoId, clock }) => {
    const { tagName, doerId, releaseId, fields } = given
    if (releaseId !== undefined) {
      const before = await findReleaseForUpdate(tx, releaseId)
      // The release was deleted meanwhile. Its tag stays, as at each deletion of a release.
      if (before) await changeRelease(tx, before, fields, doerId)
      return
    }
    await addRelease(
      tx,
      {
        repo_id: repoId,
        tag_name: tagName,
        lower_tag_name: tagName.toLowerCase(),
        target: fields.target ?? '',
        title: fields.title ?? '',
        content: fields.content ?? '',
        is_draft: false,
        is_prerelease: fields.is_prerelease ?? false,
        hides_archive_links: fields.hides_archive_links ?? false,
        publisher_id: doerId,
        created_unix: fields.created_unix ?? Math.floor(clock.nowMs() / 1000),
      },
      doerId,
    )
  }
