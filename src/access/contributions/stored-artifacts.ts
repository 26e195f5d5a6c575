import type { Db } from '../../db/database.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** A workflow artifact in the list of an owner's stored data. */
export interface StoredArtifact {
  readonly name: string
  readonly sizeBytes: number
  /** Path of the page of its run, below the site root. */
  readonly webPath: string
}

/** Returns a page of the stored artifacts of an owner's repositories, the largest first, and their number. */
export type StoredArtifacts = (
  db: Db,
  ownerId: UserId,
  page: Page,
) => Promise<{ readonly rows: readonly StoredArtifact[]; readonly total: number }>
