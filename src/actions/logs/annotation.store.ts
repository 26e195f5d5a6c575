import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { ActionAnnotationRow, AnnotationLevel } from '../../db/tables/actions.ts'
import type { TaskId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** Most annotations of one level of a step, and of all of a task. */
interface AnnotationLimits {
  readonly ofLevel: number
  readonly ofTask: number
}

/** Inserts annotations of a task up to the limits of its current step and of the task. */
export async function insertAnnotations(
  tx: Tx,
  taskId: TaskId,
  found: readonly Omit<ActionAnnotationRow, 'task_id'>[],
  limits: AnnotationLimits,
): Promise<void> {
  const [first] = found
  if (!first) return
  const step = await tx
    .selectFrom('action_step')
    .select('log_index')
    .where('task_id', '=', taskId)
    .where('log_index', '<=', first.log_line)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  const counts = await tx
    .selectFrom('action_annotation')
    .select((select) => [
      'level',
      select.fn.countAll<number>().as('total'),
      sql<number>`sum(case when log_line >= ${step?.log_index ?? 0} then 1 else 0 end)`.as('of_step'),
    ])
    .where('task_id', '=', taskId)
    .groupBy('level')
    .execute()
  let left = limits.ofTask - counts.reduce((sum, { total }) => sum + total, 0)
  const leftOfLevel = new Map(counts.map(({ level, of_step: count }) => [level, limits.ofLevel - count]))
  const kept = found.filter(({ level }) => {
    const ofLevel = leftOfLevel.get(level) ?? limits.ofLevel
    if (left <= 0 || ofLevel <= 0) return false
    left -= 1
    leftOfLevel.set(level, ofLevel - 1)
    return true
  })
  for (let at = 0; at < kept.length; at += 50) {
    await tx
      .insertInto('action_annotation')
      .values(kept.slice(at, at + 50).map((each) => ({ ...each, task_id: taskId })))
      .execute()
  }
}

const ofTasks = (db: Db, ids: readonly TaskId[]) =>
  db.selectFrom('action_annotation').where('task_id', 'in', sql<TaskId>`${idList(db, idListText(ids))}`)

/** Returns one page of the annotations of tasks: the tasks in order, the lines of each in order. */
export const listAnnotations = (
  db: Db,
  ids: readonly TaskId[],
  { limit, offset }: Page,
): Promise<ActionAnnotationRow[]> =>
  ofTasks(db, ids).selectAll().orderBy('task_id').orderBy('log_line').limit(limit).offset(offset).execute()

/** Returns the numbers of annotations of tasks by level. */
export async function countAnnotations(
  db: Db,
  ids: readonly TaskId[],
): Promise<Readonly<Record<AnnotationLevel, number>>> {
  const rows = await ofTasks(db, ids)
    .select((select) => ['level', select.fn.countAll<number>().as('total')])
    .groupBy('level')
    .execute()
  return {
    error: 0,
    warning: 0,
    notice: 0,
    ...Object.fromEntries(rows.map(({ level, total }) => [level, total])),
  }
}

/** Returns the annotations of tasks about lines of files, errors first. */
export const listAnnotationsOfFiles = (
  db: Db,
  ids: readonly TaskId[],
  paths: readonly string[],
  limit: number,
): Promise<ActionAnnotationRow[]> =>
  ofTasks(db, ids)
    .selectAll()
    .where('path', 'in', paths)
    .where('start_line', '>', 0)
    .orderBy(sql`case level when 'error' then 0 when 'warning' then 1 else 2 end`)
    .orderBy('task_id')
    .orderBy('log_line')
    .limit(limit)
    .execute()

/** Returns the numbers of annotations of tasks by task and level. */
export const countAnnotationsByTask = (
  db: Db,
  ids: readonly TaskId[],
): Promise<readonly { readonly task_id: TaskId; readonly level: AnnotationLevel; readonly total: number }[]> =>
  ofTasks(db, ids)
    .select((select) => ['task_id', 'level', select.fn.countAll<number>().as('total')])
    .groupBy(['task_id', 'level'])
    .execute()

/** Returns the line of the last error of each failed step of tasks that has one. */
export const listLastErrors = (
  db: Db,
  ids: readonly TaskId[],
): Promise<readonly { readonly task_id: TaskId; readonly position: number; readonly line: number }[]> =>
  db
    .selectFrom('action_step as step')
    .innerJoin('action_annotation as error', (join) =>
      join.onRef('error.task_id', '=', 'step.task_id').onRef('error.log_line', '>=', 'step.log_index'),
    )
    .select((select) => ['step.task_id', 'step.position', select.fn.max<number>('error.log_line').as('line')])
    .where('step.task_id', 'in', sql<TaskId>`${idList(db, idListText(ids))}`)
    .where('step.status', '=', 'failure')
    .where('error.level', '=', 'error')
    .whereRef('error.log_line', '<', sql<number>`step.log_index + step.log_length`)
    .groupBy(['step.task_id', 'step.position'])
    .execute()

export const deleteAnnotations = (tx: Tx, taskId: TaskId) =>
  tx.deleteFrom('action_annotation').where('task_id', '=', taskId).execute()
