import type { Db } from '../../db/database.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** An artifact of a workflow, as the list of what an owner stores shows it. */
export interface StoredArtifact {
  readonly name: string
  readonly sizeBytes: number
  /** Path of the page of its run, below the site root. */
  readonly webPath: string
}

/** One page of the artifacts of an owner's repositories that are kept, the largest first, and how many there are. */
export type StoredArtifacts = (
  db: Db,
  ownerId: UserId,
  page: Page,
) => Promise<{ readonly rows: readonly StoredArtifact[]; readonly total: number }>
