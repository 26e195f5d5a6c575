import type { ComponentChildren } from 'preact'
import { isFinal } from '../../actions/status.rules.ts'
import type { RunWithJobs } from '../../actions/runs/run-list.service.ts'
import type { JobState } from '../../actions/runs/run.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { ActButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Menu, Tag } from '../ui/parts.tsx'
import { siteHref, withQuery } from '../ui/paths.ts'
import { Person } from '../ui/person.tsx'
import { uiTexts as shared } from '../languages/texts.ts'
import { durationText, Time } from '../ui/time.tsx'
import { actionsPath, commitPath, headPath, jobPath, runPath } from './actions-paths.ts'
import type { RunState } from './run-state.ts'
import { secondsOf, StatusIcon, workflowNameOf } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.run

/** What the pages of a run and of its jobs share. */
export interface RunFrameProps extends RunWithJobs {
  readonly owner: UserRow
  readonly repo: RepoRow
  readonly may: { readonly run: boolean }
  readonly state: RunState
  /** The position of the job that is shown; undefined on the page of the run. */
  readonly position?: number | undefined
}

/** Head of a run, its jobs at the side, and content. */
export const RunFrame = ({
  isFollowed = false,
  children,
  ...props
}: RunFrameProps & {
  /** The page follows the changes of the run. */
  readonly isFollowed?: boolean
  readonly children: ComponentChildren
}) => {
  const { config } = usePage()
  const live = withQuery(runPath(props, props.run, 'live'), { seen: props.state.mark })
  return (
    <div class="run-page">
      {isFollowed ? <div id="run-live" hidden data-live={siteHref(config, live)} /> : null}
      <RunHead {...props} />
      <div class="columns side-first">
        <details class="menu page-menu">
          <summary class="button">
            <span>{props.jobs.find(({ position }) => position === props.position)?.name ?? texts.summary}</span>
            <Icon name="chevron-down" />
          </summary>
          <RunJobs {...props} />
        </details>
        <div class="stack">{children}</div>
      </div>
    </div>
  )
}

/** Title, facts and acts of a run. It is replaced when the run changes. */
export function RunHead(props: RunFrameProps) {
  const { run, actor, jobs } = props
  const { nowUnix } = usePage()
  const seconds = secondsOf(run, nowUnix)
  const head = headPath(props, run)
  const attempt = Math.max(1, ...jobs.map((job) => job.attempt))
  return (
    <div class="page-head run-head" id="run-head">
      <div>
        <h1>
          <StatusIcon status={run.status} />
          {run.title || workflowNameOf(run)} <span class="muted">{texts.number(run.number)}</span>
        </h1>
        <div class="facts">
          <Link to={actionsPath(props, { workflow: run.workflow_id })}>{workflowNameOf(run)}</Link>
          <span class="nowrap">
            {actionsTexts.event(run.event)}
            {actor ? (
              <>
                {' '}
                {actionsTexts.list.by} <Person person={actor} withPicture={false} />
              </>
            ) : null}
          </span>
          <Time unix={run.created_unix} />
          {head === undefined ? null : (
            <Link class="ref cut" to={head}>
              {run.head}
            </Link>
          )}
          <Link to={commitPath(props, run.commit_oid)}>
            <Icon name="git-commit" />
            <code>{run.commit_oid.slice(0, 10)}</code>
          </Link>
          {seconds === undefined ? null : (
            <span class="nowrap">
              <Icon name="stopwatch" />
              {durationText(seconds + run.previous_seconds)}
            </span>
          )}
          {attempt > 1 ? <span>{texts.attempt(attempt)}</span> : null}
          {run.is_foreign ? <Tag title={texts.untrustedHint}>{texts.untrusted}</Tag> : null}
        </div>
      </div>
      {props.may.run ? <RunActs {...props} /> : null}
    </div>
  )
}

function RunActs(props: RunFrameProps) {
  const { run, jobs } = props
  const isEnded = jobs.every(({ status }) => isFinal(status))
  const hasFailed = jobs.some(({ status }) => status === 'failure' || status === 'cancelled')
  if (!isEnded) {
    return (
      <div class="acts">
        <ActButton to={runPath(props, run, 'cancel')} icon="stop">
          {texts.cancel}
        </ActButton>
      </div>
    )
  }
  return (
    <div class="acts">
      {run.problem === '' ? (
        <Menu
          align="end"
          label={
            <>
              <Icon name="sync" />
              {texts.rerun}
              <Icon name="triangle-down" />
            </>
          }
        >
          <ul>
            {hasFailed ? (
              <li>
                <ActButton to={runPath(props, run, 'rerun-failed')}>{texts.rerunFailed}</ActButton>
              </li>
            ) : null}
            <li>
              <ActButton to={runPath(props, run, 'rerun')}>{texts.rerunAll}</ActButton>
            </li>
          </ul>
        </Menu>
      ) : null}
      <ActButton
        to={runPath(props, run, 'delete')}
        kind="danger"
        aria-label={texts.delete}
        confirm={texts.deleteQuestion}
      >
        {shared.delete}
      </ActButton>
    </div>
  )
}

/** The jobs of a run as links. It is replaced when a job changes. */
export const RunJobs = (props: RunFrameProps) => (
  <nav class="menu-panel side-menu run-jobs" id="run-jobs" aria-label={texts.jobs}>
    <ul>
      <li>
        <Link to={runPath(props, props.run)} aria-current={props.position === undefined ? 'page' : undefined}>
          <Icon name="workflow" />
          {texts.summary}
        </Link>
      </li>
    </ul>
    <h2>{texts.jobs}</h2>
    <ul>
      {inOrder(props.jobs).map((job) => (
        <JobLink {...props} job={job} />
      ))}
    </ul>
  </nav>
)

/** Failed jobs come first. */
const inOrder = (jobs: readonly JobState[]): readonly JobState[] =>
  jobs.toSorted((one, other) => Number(other.status === 'failure') - Number(one.status === 'failure'))

const JobLink = ({ job, position, run, ...names }: RunFrameProps & { readonly job: JobState }) => {
  const { nowUnix } = usePage()
  const seconds = secondsOf(job, nowUnix)
  return (
    <li>
      <Link
        to={jobPath(names, run, job)}
        aria-current={job.position === position ? 'page' : undefined}
        title={job.name}
      >
        <StatusIcon status={job.status} />
        <span class="cut">{job.name}</span>
        {seconds === undefined ? null : <span class="job-time">{durationText(seconds)}</span>}
      </Link>
    </li>
  )
}
