import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { RunId } from '../../lib/ids.ts'
import { loadRuns, openStatuses } from './run.store.ts'

/** A run with its payload, and the last ended run before it of the same workflow and reference. */
export interface RunWithPrevious {
  readonly run: ActionRunRow
  /** The event payload that its jobs got, as JSON. */
  readonly payload: string
  readonly before: { readonly run: ActionRunRow; readonly payload: string } | undefined
}

export async function loadRunsWithPrevious(
  db: Db | Tx,
  ids: readonly RunId[],
): Promise<ReadonlyMap<RunId, RunWithPrevious>> {
  if (ids.length === 0) return new Map()
  const beforeOf = await idsBefore(db, ids)
  const all = [...ids, ...beforeOf.values()]
  const runs = await loadRuns(db, all)
  const payloads = await loadPayloads(db, all)
  const shown = (id: RunId | undefined) => {
    const run = id === undefined ? undefined : runs.get(id)
    return run && { run, payload: payloads.get(run.id) ?? '' }
  }
  return new Map(
    ids.flatMap((id): [RunId, RunWithPrevious][] => {
      const own = shown(id)
      return own ? [[id, { ...own, before: shown(beforeOf.get(id)) }]] : []
    }),
  )
}

async function idsBefore(db: Db | Tx, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, RunId>> {
  const rows = await db
    .selectFrom('action_run')
    .select((select) => [
      'action_run.id',
      select
        .selectFrom('action_run as before')
        .select('before.id')
        .whereRef('before.repo_id', '=', 'action_run.repo_id')
        .whereRef('before.workflow_id', '=', 'action_run.workflow_id')
        .whereRef('before.ref', '=', 'action_run.ref')
        .whereRef('before.id', '<', 'action_run.id')
        .where('before.status', 'not in', openStatuses)
        .orderBy('before.id', 'desc')
        .limit(1)
        .as('before_id'),
    ])
    .where('action_run.id', 'in', sql<RunId>`${idList(db, idListText(ids))}`)
    .execute()
  return new Map(rows.flatMap(({ id, before_id }): [RunId, RunId][] => (before_id === null ? [] : [[id, before_id]])))
}

async function loadPayloads(db: Db | Tx, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, string>> {
  const rows = await db
    .selectFrom('action_run_payload')
    .selectAll()
    .where('run_id', 'in', sql<RunId>`${idList(db, idListText(ids))}`)
    .execute()
  return new Map(rows.map(({ run_id, data }) => [run_id, data]))
}
