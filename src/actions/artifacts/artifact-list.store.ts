import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { ActionArtifactRow } from '../../db/tables/action-storage.ts'
import type { ArtifactId, RepoId, RunId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'

/** An artifact with facts of its run. */
export type ListedArtifact = ActionArtifactRow & {
  readonly run_number: number
  readonly commit_oid: string
}

export interface RepoArtifactFilter {
  readonly repoId: RepoId
  /** undefined: all runs. */
  readonly runId?: RunId
  /** undefined: every name. */
  readonly name: string | undefined
}

const artifactsOf = (db: Db, { repoId, runId, name }: RepoArtifactFilter) => {
  const whole = db
    .selectFrom('action_artifact')
    .where('action_artifact.repo_id', '=', repoId)
    .where('action_artifact.is_whole', '=', sql.lit(true))
  const ofRun = runId === undefined ? whole : whole.where('action_artifact.run_id', '=', runId)
  return name ? ofRun.where('action_artifact.name', '=', name) : ofRun
}

const withRun = (query: ReturnType<typeof artifactsOf>) =>
  query
    .innerJoin('action_run', 'action_run.id', 'action_artifact.run_id')
    .selectAll('action_artifact')
    .select(['action_run.number as run_number', 'action_run.commit_oid'])

/** Returns one page of the complete artifacts of a repository, expired ones included, the newest first, and their number. */
export async function pageOfRepoArtifacts(
  db: Db,
  filter: RepoArtifactFilter,
  page: Page,
): Promise<{ readonly rows: ListedArtifact[]; readonly total: number }> {
  const artifacts = artifactsOf(db, filter)
  const [rows, total] = await rowsAndTotal(
    page,
    withRun(artifacts).orderBy('action_artifact.id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countRows(artifacts),
  )
  return { rows, total }
}

/** Returns a complete artifact of a repository. */
export const findRepoArtifact = (db: Db, repoId: RepoId, id: ArtifactId): Promise<ListedArtifact | undefined> =>
  withRun(artifactsOf(db, { repoId, name: undefined }))
    .where('action_artifact.id', '=', id)
    .executeTakeFirst()
