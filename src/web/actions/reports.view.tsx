import { hasFile } from '../../actions/logs/annotation.rules.ts'
import type { ActionAnnotationRow, ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import { Icon } from '../ui/icon.tsx'
import { Link, OutsideLink } from '../ui/link.tsx'
import { Box, Markup, Pages } from '../ui/parts.tsx'
import { annotationLooks } from './annotation-looks.ts'
import { environmentPath, fileAtPath, jobPath, logLinePath, type RepoNames } from './actions-paths.ts'
import type { JobReports } from './reports.ts'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.reports

interface ReportsProps extends RepoNames {
  readonly run: ActionRunRow
  readonly jobs: readonly Pick<ActionJobRow, 'name' | 'position' | 'task_id'>[]
  readonly reports: JobReports
}

/** The annotations of jobs, with links to their files and lines of the log. */
export function Annotations(props: ReportsProps) {
  const { annotations, number, isLast } = props.reports
  const { rows, counts, total } = annotations
  if (total === 0) return null
  return (
    <Box
      id="annotations"
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
      <Pages page={number} isLast={isLast} />
    </Box>
  )
}

const Annotation = ({
  annotation,
  run,
  jobs,
  ...names
}: ReportsProps & { readonly annotation: ActionAnnotationRow }) => {
  const { icon, tone } = annotationLooks[annotation.level]
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
          {job ? <Link to={logLinePath(names, run, job, annotation.log_line)}>{job.name}</Link> : null}
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

/** The rendered summaries of steps, those of a job together. */
export function Summaries({ reports, run, withJobs = true, ...names }: ReportsProps & { readonly withJobs?: boolean }) {
  const { summaries, isCut } = reports
  if (summaries.length === 0 && !isCut) return null
  return (
    <>
      {[...Map.groupBy(summaries, ({ job }) => job)].map(([job, own]) => (
        <Box
          head={
            <h2>{withJobs ? <Link to={jobPath(names, run, job)}>{texts.summaryOf(job.name)}</Link> : texts.summary}</h2>
          }
        >
          <div class="box-body stack">
            {own.map(({ html }) => (
              <Markup html={html} class="compact" />
            ))}
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
