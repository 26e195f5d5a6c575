import type { ActionRunRow } from '../../db/tables/actions.ts'
import { Link } from '../ui/link.tsx'
import { Box } from '../ui/parts.tsx'
import { jobPath, logLinePath, type RepoNames } from './actions-paths.ts'
import type { Failure, Failures } from './failures.ts'
import { LogExcerpt } from './log-lines.view.tsx'
import { sectionName } from './section-name.ts'
import { StatusIcon } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.failures

interface FailuresProps extends RepoNames {
  readonly run: ActionRunRow
  readonly failures: Failures
}

/** The steps of a run that failed, with the ends of their logs. */
export function FailuresView(props: FailuresProps) {
  const { shown, jobCount, leftJobs } = props.failures
  if (shown.length === 0) return null
  return (
    <Box class="failures" head={<h2>{texts.title(jobCount)}</h2>}>
      {shown.map((failure) => (
        <FailedStep {...props} {...failure} />
      ))}
      {leftJobs > 0 ? <p class="log-note">{texts.more(leftJobs)}</p> : null}
    </Box>
  )
}

const FailedStep = ({ run, job, section, at, lines, isExpired, ...names }: FailuresProps & Failure) => {
  const page = at === undefined ? jobPath(names, run, job) : logLinePath(names, run, job, at)
  return (
    <section class="failure">
      <h3 class="failure-head">
        <StatusIcon status="failure" />
        <Link to={page}>
          {job.name}
          {section && section.kind !== 'whole' ? <span class="failed-step">{sectionName(section)}</span> : null}
        </Link>
      </h3>
      {lines.length === 0 ? (
        <p class="log-note">
          {isExpired ? actionsTexts.job.expired : at === undefined ? actionsTexts.job.noLog : texts.notShown}
        </p>
      ) : (
        <LogExcerpt lines={lines} toLine={(line) => logLinePath(names, run, job, line)} />
      )}
    </section>
  )
}
