import { sql } from 'kysely'
import { bytewise } from '../../db/bytewise.ts'
import type { Db } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import type { ActionJobId, Oid, RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** A job that deploys to an environment, with facts of its run. */
export type DeploymentRow = Pick<
  ActionJobRow,
  | 'id'
  | 'name'
  | 'position'
  | 'status'
  | 'environment'
  | 'environment_url'
  | 'started_unix'
  | 'stopped_unix'
  | 'created_unix'
  | 'updated_unix'
> &
  Pick<ActionRunRow, 'number' | 'title' | 'workflow_id' | 'workflow_name' | 'commit_oid' | 'head' | 'ref' | 'doer_id'>

/** The conditions of a list of deployments; undefined filters nothing. */
export interface DeploymentFilter {
  readonly repoId: RepoId
  readonly environment: string | undefined
  readonly sha: string | undefined
}

// The literal makes the statement match the partial index.
const deployments = (db: Db, repoId: RepoId) =>
  db
    .selectFrom('action_job')
    .where('action_job.repo_id', '=', repoId)
    .where('action_job.environment', '<>', sql.lit(''))

const filtered = (db: Db, { repoId, environment, sha }: DeploymentFilter) => {
  let query = deployments(db, repoId).innerJoin('action_run', 'action_run.id', 'action_job.run_id')
  if (environment !== undefined) query = query.where('action_job.environment', '=', environment)
  if (sha !== undefined) query = query.where('action_run.commit_oid', '=', sha as Oid)
  return query
}

const withFacts = (query: ReturnType<typeof filtered>) =>
  query.select([
    'action_job.id',
    'action_job.name',
    'action_job.position',
    'action_job.status',
    'action_job.environment',
    'action_job.environment_url',
    'action_job.started_unix',
    'action_job.stopped_unix',
    'action_job.created_unix',
    'action_job.updated_unix',
    'action_run.number',
    'action_run.title',
    'action_run.workflow_id',
    'action_run.workflow_name',
    'action_run.commit_oid',
    'action_run.head',
    'action_run.ref',
    'action_run.doer_id',
  ])

/** Returns one page of the deployments of a repository, the newest first, and their number. */
export async function pageOfDeployments(
  db: Db,
  filter: DeploymentFilter,
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly DeploymentRow[]; readonly total: number }> {
  const query = filtered(db, filter)
  const [rows, total] = await Promise.all([
    withFacts(query).orderBy('action_job.id', 'desc').limit(limit).offset(offset).execute(),
    countRows(query),
  ])
  return { rows, total }
}

/** The newest deployment of an environment, and their number. */
interface EnvironmentRow {
  readonly newest: DeploymentRow
  readonly count: number
}

/** Returns one page of the environments of a repository by name, and their number. */
export async function pageOfEnvironments(
  db: Db,
  repoId: RepoId,
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly EnvironmentRow[]; readonly total: number }> {
  const [names, { total }] = await Promise.all([
    deployments(db, repoId)
      .select((select) => [
        'action_job.environment',
        select.fn.max<ActionJobId>('action_job.id').as('newest'),
        select.fn.countAll<number>().as('count'),
      ])
      .groupBy('action_job.environment')
      .orderBy(bytewise(db, 'action_job.environment'))
      .limit(limit)
      .offset(offset)
      .execute(),
    deployments(db, repoId)
      .select((select) => select.fn.count<number>('action_job.environment').distinct().as('total'))
      .executeTakeFirstOrThrow(),
  ])
  const ids = names.map(({ newest }) => newest)
  const rows =
    ids.length === 0
      ? []
      : await withFacts(filtered(db, { repoId, environment: undefined, sha: undefined }))
          .where('action_job.id', 'in', ids)
          .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return {
    rows: names.flatMap(({ newest, count }) => {
      const row = byId.get(newest)
      return row ? [{ newest: row, count }] : []
    }),
    total,
  }
}

/** Returns whether a job of a repository deploys to an environment. */
export const hasDeployments = async (db: Db, repoId: RepoId): Promise<boolean> =>
  (await deployments(db, repoId).select('action_job.id').limit(1).executeTakeFirst()) !== undefined
