import type { ComponentChildren } from 'preact'
import { isFinal } from '../../actions/status.rules.ts'
import type { RunnerMatch } from '../../actions/runners/runner-match.service.ts'
import { groupsAround } from '../../actions/runs/job-groups.rules.ts'
import { waitsForApproval } from '../../actions/runs/trust.rules.ts'
import type { LogLine } from '../../actions/logs/log-page.service.ts'
import type { Attempt } from '../../actions/logs/attempt.service.ts'
import type { ActionJobRow } from '../../db/tables/actions.ts'
import { ActButton } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty } from '../ui/parts.tsx'
import { siteHref, withQuery } from '../ui/paths.ts'
import { durationText } from '../ui/time.tsx'
import { jobPath, runPath } from './actions-paths.ts'
import { LogLines } from './log-lines.view.tsx'
import { maxLines, type LogSection } from './log-sections.rules.ts'
import type { JobReports } from './reports.ts'
import { Annotations, EnvironmentFact, Summaries } from './reports.view.tsx'
import { RunFrame, type RunFrameProps } from './run-frame.view.tsx'
import { sectionName } from './section-name.ts'
import { needsOf, secondsOf, StatusIcon } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.job

export interface JobProps extends RunFrameProps {
  readonly job: ActionJobRow
  readonly attempt: Attempt | undefined
  readonly sections: readonly LogSection[]
}

interface ShownLines {
  readonly lines: readonly LogLine[]
  readonly from: number
  readonly to: number
  /** The line to look at first, from 0. */
  readonly at?: number | undefined
}

interface JobPageProps extends JobProps {
  readonly reports: JobReports
  /** Whether runners have the labels of the job while it waits. */
  readonly runner: RunnerMatch | undefined
  readonly search:
    | { readonly text: string; readonly lines: readonly LogLine[]; readonly hasMore: boolean; readonly isCut: boolean }
    | undefined
  readonly opened: (ShownLines & { readonly section: LogSection }) | undefined
}

export const JobView = (props: JobPageProps) => {
  const { job, attempt, sections, opened } = props
  const isFollowed = !isFinal(job.status) && props.search === undefined
  return (
    <RunFrame {...props} isFollowed={isFollowed}>
      <div class="job-log box">
        <JobHead {...props} />
        {props.search ? (
          <SearchResults {...props} search={props.search} />
        ) : attempt === undefined || sections.length === 0 || attempt.task.log_state === 'expired' ? (
          <NoAttempt {...props} />
        ) : (
          <div class="log-sections" data-lines="" data-first-line={opened && lineId(opened.at)}>
            {sections.map((section) => (
              <Section
                {...props}
                section={section}
                shown={opened?.section.number === section.number ? opened : undefined}
              />
            ))}
          </div>
        )}
      </div>
      <Annotations {...props} />
      <Summaries {...props} withJobs={false} />
    </RunFrame>
  )
}

const lineId = (at: number | undefined): string | undefined => (at === undefined ? undefined : `L${at + 1}`)

/** Search and switches of the log. The switches work by the style sheet alone. */
const JobHead = (props: JobPageProps) => {
  const { job, run, attempt, search } = props
  const { config } = usePage()
  const hasLog = attempt !== undefined && attempt.task.log_state !== 'expired'
  const at = props.opened?.at
  return (
    <div class="box-head log-head">
      <h2 class="cut">{job.name}</h2>
      {at === undefined || !hasLog ? null : (
        <a class="small" href={`#${lineId(at)}`}>
          {texts.line(at + 1)}
        </a>
      )}
      <EnvironmentFact owner={props.owner} repo={props.repo} job={job} />
      <span class="spacer" />
      {hasLog ? (
        <>
          <label class="log-switch">
            <input type="checkbox" class="log-times" />
            {texts.times}
          </label>
          <label class="log-switch">
            <input type="checkbox" class="log-wrap" checked />
            {texts.wrap}
          </label>
          <Form to={jobPath(props, run, job)} method="get" role="search" class="log-search">
            <Field
              type="search"
              name="q"
              label={texts.search}
              isLabelHidden
              isTerse
              placeholder={texts.search}
              value={search?.text ?? ''}
            />
          </Form>
          <a
            class="button plain small icon-only"
            href={siteHref(config, jobPath(props, run, job, 'logs'))}
            download
            data-turbo="false"
            aria-label={texts.raw}
            title={texts.raw}
          >
            <Icon name="download" />
          </a>
        </>
      ) : null}
      {props.may.run && isFinal(run.status) && run.problem === '' ? (
        <ActButton
          to={jobPath(props, run, job, 'rerun')}
          class="small icon-only"
          icon="sync"
          aria-label={actionsTexts.run.rerunJob}
          title={actionsTexts.run.rerunJob}
        />
      ) : null}
    </div>
  )
}

/** A step that folds. Its lines are loaded when it is opened first. */
const Section = ({
  section,
  shown,
  ...props
}: JobProps & { readonly section: LogSection; readonly shown: ShownLines | undefined }) => {
  const { config } = usePage()
  const path = jobPath(props, props.run, props.job, 'steps', section.number)
  const isEmpty = section.to <= section.from && section.status !== 'running'
  return (
    <details class="log-section" id={sectionId(section)} open={shown !== undefined}>
      <SectionHead section={section} />
      {shown ? (
        <SectionLines {...props} section={section} {...shown} />
      ) : isEmpty ? (
        <p class="log-note">{texts.noLines}</p>
      ) : (
        <turbo-frame id={frameOf(section)} src={siteHref(config, path)} loading="lazy">
          <p class="log-note">
            <Link to={path}>{texts.show}</Link>
          </p>
        </turbo-frame>
      )}
    </details>
  )
}

/** A page that follows the job keeps a section open by its id: the whole log must not become a step. */
const sectionId = ({ kind, number }: LogSection): string => (kind === 'whole' ? 'section-whole' : `section-${number}`)
const frameOf = ({ number }: LogSection): string => `frame-${number}`
const linesIdOf = ({ number }: LogSection): string => `lines-${number}`
const sectionHeadId = ({ number }: LogSection): string => `head-${number}`

/** Status, name and duration of a step. It is replaced when the step changes. */
const SectionHead = ({ section }: { readonly section: LogSection }) => {
  const { nowUnix } = usePage()
  const seconds = secondsOf(section, nowUnix)
  return (
    <summary id={sectionHeadId(section)}>
      <Icon name="chevron-right" class="fold" />
      <StatusIcon status={section.status} />
      <span class="cut">{sectionName(section)}</span>
      {seconds === undefined ? null : <span class="job-time">{durationText(seconds)}</span>}
    </summary>
  )
}

const SectionLines = ({
  section,
  lines,
  from,
  to,
  at,
  ...props
}: JobProps & ShownLines & { readonly section: LogSection }) => {
  const others = (before: number, label: string) => (
    <p class="log-note">
      <Link
        to={withQuery(jobPath(props, props.run, props.job, 'steps', section.number), { before })}
        data-turbo-frame="_top"
      >
        {label}
      </Link>
    </p>
  )
  return (
    <>
      {from > section.from ? others(from, texts.earlier(from - section.from)) : null}
      <div class="log-lines" id={linesIdOf(section)}>
        <LogLines lines={lines} first={at} />
      </div>
      {to < section.to ? others(Math.min(section.to, to + maxLines), texts.later(section.to - to)) : null}
    </>
  )
}

/** One section alone. The page of the job loads its frame from here. */
export const SectionView = (props: JobProps & ShownLines & { readonly section: LogSection }) => (
  <RunFrame {...props}>
    <div class="job-log box">
      <div class="box-head log-head">
        <h2 class="cut">
          <StatusIcon status={props.section.status} /> {sectionName(props.section)}
        </h2>
        <span class="spacer" />
        <input type="checkbox" class="log-wrap" checked hidden />
        <ButtonLink to={jobPath(props, props.run, props.job)} class="small">
          {texts.backToSteps}
        </ButtonLink>
      </div>
      <div class="log-sections" data-lines="">
        <turbo-frame id={frameOf(props.section)}>
          <SectionLines {...props} />
        </turbo-frame>
      </div>
    </div>
  </RunFrame>
)

const SearchResults = ({
  search,
  ...props
}: JobPageProps & { readonly search: NonNullable<JobPageProps['search']> }) => {
  const { lines, text, hasMore, isCut } = search
  return (
    <div class="log-sections">
      <p class="log-note">
        {lines.length === 0 ? texts.noResults(text) : texts.results(lines.length, text)}
        {hasMore ? ` ${texts.someResults}` : ''}
        {isCut ? ` ${texts.searchCut}` : ''} <Link to={jobPath(props, props.run, props.job)}>{texts.backToSteps}</Link>
      </p>
      <div class="log-lines">
        <LogLines lines={lines} found={text} />
      </div>
    </div>
  )
}

/** Why a job has no log. */
function NoAttempt({ job, attempt, runner, ...props }: JobPageProps) {
  const note = (
    icon: 'clock' | 'skip' | 'stop' | 'log' | 'workflow' | 'hourglass',
    title: string,
    lead?: ComponentChildren,
  ) => (
    <Empty icon={icon} title={title}>
      {lead === undefined ? null : <p>{lead}</p>}
    </Empty>
  )
  if (attempt?.task.log_state === 'expired') return note('hourglass', texts.expired, texts.expiredLead)
  if (job.is_call) return note('workflow', texts.call, texts.callLead)
  const runsOn = (JSON.parse(job.runs_on) as string[]).join(', ')
  if (job.status === 'waiting') {
    return runner === undefined || runner === 'online'
      ? note('clock', texts.waiting, texts.waitingLead(runsOn))
      : note('clock', texts.noRunner[runner], texts.noRunnerLead[runner](runsOn))
  }
  if (job.status === 'blocked' && waitsForApproval(props.run)) {
    return note(
      'clock',
      texts.approval,
      <>
        {texts.approvalLead} <Link to={runPath(props, props.run)}>{texts.toRun}</Link>
      </>,
    )
  }
  if (job.status === 'blocked' && props.run.is_held) return note('clock', texts.held, texts.heldLead)
  const groups = groupsAround(props.run, props.jobs)(job)
  if (job.status === 'blocked' && groups.some(({ group_state: state }) => state === 'waiting')) {
    return note('clock', texts.heldJob, texts.heldJobLead)
  }
  if (job.status === 'blocked') {
    const needs = needsOf(job)
    return note('clock', texts.blocked, needs.length === 0 ? undefined : texts.blockedLead(needs.join(', ')))
  }
  if (job.status === 'skipped') return note('skip', texts.skipped, texts.skippedLead)
  if (job.status === 'cancelled') return note('stop', texts.cancelled)
  return note('log', texts.noLog)
}
