import { hasFile } from '../../actions/logs/annotation.rules.ts'
import type { ActionAnnotationRow, ActionJobRow, ActionRunRow, AnnotationLevel } from '../../db/tables/actions.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { Link, OutsideLink } from '../ui/link.tsx'
import { Box, Markup } from '../ui/parts.tsx'
import { environmentPath, fileAtPath, jobPath, type RepoNames } from './actions-paths.ts'
import type { JobReports } from './reports.ts'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.reports

interface ReportsProps extends RepoNames {
  readonly run: ActionRunRow
  readonly jobs: readonly Pick<ActionJobRow, 'name' | 'position' | 'task_id'>[]
  readonly reports: JobReports
}

const looks: Readonly<Record<AnnotationLevel, { readonly icon: IconName; readonly tone: string }>> = {
  error: { icon: 'x-circle-fill', tone: 'danger' },
  warning: { icon: 'alert', tone: 'warning' },
  notice: { icon: 'info', tone: 'neutral' },
}

/** The annotations of jobs, with links to their files and lines of the log. */
export function Annotations(props: ReportsProps) {
  const { rows, counts, total } = props.reports.annotations
  if (total === 0) return null
  return (
    <Box
      head={
        <>
          <h2>{texts.annotations}</h2>
          <span class="muted">{texts.counts(counts)}</span>
        </>
      }
    >
      <ul class="rows">
        {rows.map((annotation) => (
          <Annotation {...props} annotation={annotation} />
        ))}
      </ul>
      {total > rows.length ? <p class="log-note">{texts.moreAnnotations(total - rows.length)}</p> : null}
    </Box>
  )
}

const Annotation = ({
  annotation,
  run,
  jobs,
  ...names
}: ReportsProps & { readonly annotation: ActionAnnotationRow }) => {
  const { icon, tone } = looks[annotation.level]
  const job = jobs.find(({ task_id: taskId }) => taskId === annotation.task_id)
  return (
    <li class="row annotation">
      <span class={`run-status ${tone}`} title={texts.levels[annotation.level]}>
        <Icon name={icon} label={texts.levels[annotation.level]} />
      </span>
      <div class="row-main">
        {annotation.title === '' ? null : <strong>{annotation.title}</strong>}
        <p class="annotation-text">{annotation.message}</p>
        <div class="row-facts">
          {job ? <Link to={`${jobPath(names, run, job)}#L${annotation.log_line + 1}`}>{job.name}</Link> : null}
          {annotation.path === '' ? null : hasFile(annotation) ? (
            <Link to={fileAtPath(names, run.commit_oid, annotation)}>{texts.location(annotation)}</Link>
          ) : (
            <span>{texts.location(annotation)}</span>
          )}
        </div>
      </div>
    </li>
  )
}

/** The rendered summaries of steps. */
export function Summaries({ reports, run, withJobs = true, ...names }: ReportsProps & { readonly withJobs?: boolean }) {
  const { summaries, isCut } = reports
  if (summaries.length === 0 && !isCut) return null
  return (
    <>
      {summaries.map(({ job, html }) => (
        <Box
          head={
            <h2>{withJobs ? <Link to={jobPath(names, run, job)}>{texts.summaryOf(job.name)}</Link> : texts.summary}</h2>
          }
        >
          <div class="box-body">
            <Markup html={html} class="compact" />
          </div>
        </Box>
      ))}
      {isCut ? <p class="muted small">{texts.moreSummaries}</p> : null}
    </>
  )
}

/** The environment of a job, and the address of its deployment. */
export const EnvironmentFact = ({
  job,
  ...names
}: RepoNames & { readonly job: Pick<ActionJobRow, 'environment' | 'environment_url'> }) =>
  job.environment === '' ? null : (
    <span class="environment">
      <Icon name="server" /> <Link to={environmentPath(names, job.environment)}>{job.environment}</Link>
      {job.environment_url === '' ? null : (
        <>
          {' '}
          <OutsideLink href={job.environment_url}>{job.environment_url}</OutsideLink>
        </>
      )}
    </span>
  )
