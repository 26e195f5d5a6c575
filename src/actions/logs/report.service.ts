import type { RepoCtx } from '../../access/context.ts'
import type { ActionAnnotationRow, ActionJobRow, AnnotationLevel } from '../../db/tables/actions.ts'
import type { Page } from '../../lib/paging.ts'
import { countAnnotations, listAnnotations } from './annotation.store.ts'
import { listSummaries } from './summary.store.ts'

type Attempts = readonly Pick<ActionJobRow, 'task_id'>[]

const tasksOf = (jobs: Attempts) => jobs.flatMap(({ task_id }) => task_id ?? [])

/** Annotations of the newest attempts at jobs, and the numbers of all of them. */
export interface AnnotationPage {
  readonly rows: readonly ActionAnnotationRow[]
  readonly counts: Readonly<Record<AnnotationLevel, number>>
  readonly total: number
}

/** Returns one page of the annotations of the newest attempts at jobs. */
export async function pageOfAnnotations(
  { db }: Pick<RepoCtx, 'db'>,
  jobs: Attempts,
  page: Page,
): Promise<AnnotationPage> {
  const ids = tasksOf(jobs)
  const [rows, counts] = await Promise.all([listAnnotations(db, ids, page), countAnnotations(db, ids)])
  return { rows, counts, total: counts.error + counts.warning + counts.notice }
}

/** Returns the summaries of the steps of the newest attempts at jobs, as far as they have a number of bytes together. */
export const summariesOf = ({ db }: Pick<RepoCtx, 'db'>, jobs: Attempts, maxBytes: number) =>
  listSummaries(db, tasksOf(jobs), maxBytes)
