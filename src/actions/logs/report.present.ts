import type { RepoCtx } from '../../access/context.ts'
import type { ActionAnnotationRow, ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { escapePath } from '../../lib/escape-url.ts'
import type { TaskId } from '../../lib/ids.ts'
import { hasFile } from './annotation.rules.ts'
import type { JobAnnotation } from './report.schemas.ts'

const orNull = (count: number): number | null => (count === 0 ? null : count)

/** Presents annotations of the newest attempts at jobs of a run. */
export function presentAnnotations(
  ctx: Pick<RepoCtx, 'config' | 'owner' | 'repo'>,
  run: ActionRunRow,
  jobs: readonly Pick<ActionJobRow, 'id' | 'task_id'>[],
  annotations: readonly ActionAnnotationRow[],
): JobAnnotation[] {
  const jobOf = new Map(jobs.map(({ id, task_id: taskId }) => [taskId as TaskId, id]))
  const files = `${repoWebUrl(ctx)}/src/commit/${run.commit_oid}`
  return annotations.map((each) => ({
    job_id: jobOf.get(each.task_id) ?? 0,
    log_line: each.log_line,
    annotation_level: each.level === 'error' ? 'failure' : each.level,
    path: each.path,
    blob_href: hasFile(each) ? `${files}/${escapePath(each.path)}` : '',
    start_line: orNull(each.start_line),
    end_line: orNull(each.end_line),
    start_column: orNull(each.start_column),
    end_column: orNull(each.end_column),
    title: each.title,
    message: each.message,
  }))
}
