import { isFinal } from '../../actions/status.rules.ts'
import type { RunnerMatch } from '../../actions/runners/runner-match.service.ts'
import type { RunWithJobs } from '../../actions/runs/run-list.service.ts'
import { waitsForApproval } from '../../actions/runs/trust.rules.ts'
import type { ActionArtifactRow } from '../../db/tables/action-storage.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { ActButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Flash, Tag } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { sizeText } from '../languages/amounts.ts'
import { uiTexts as shared } from '../languages/texts.ts'
import { Time } from '../ui/time.tsx'
import { actionsPath, artifactPath, headPath, jobPath, runPath } from './actions-paths.ts'
import type { Failures } from './failures.ts'
import { FailuresView } from './failures.view.tsx'
import type { JobReports } from './reports.ts'
import { Annotations, EnvironmentFact, Summaries } from './reports.view.tsx'
import { RunGraph } from './run-graph.view.tsx'
import { RunFrame } from './run-frame.view.tsx'
import type { RunState } from './run-state.ts'
import { StatusIcon } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'
import { inReadersWords } from '../languages/refusals.ts'

const texts = actionsTexts.run

export interface RunProps extends RunWithJobs {
  readonly owner: UserRow
  readonly repo: RepoRow
  readonly artifacts: readonly ActionArtifactRow[]
  readonly may: { readonly run: boolean; readonly addRunners: boolean }
  readonly state: RunState
  readonly failures: Failures
  readonly reports: JobReports
  /** Whether runners have the labels of waiting jobs. */
  readonly runners: ReadonlyMap<string, RunnerMatch>
}

export const RunView = (props: RunProps) => {
  const { run, jobs, artifacts } = props
  return (
    <RunFrame {...props} isFollowed={props.state.isOpen}>
      <Approval {...props} />
      {run.is_held && !isFinal(run.status) ? <Flash tone="info">{texts.held}</Flash> : null}
      {run.problem === '' ? null : (
        <Flash tone="problem">
          {texts.problem(run.workflow_id)} {inReadersWords(run.problem)}{' '}
          <Link to={actionsPath(props, { workflow: run.workflow_id })}>{texts.toWorkflow}</Link>
        </Flash>
      )}
      <Waiting {...props} />
      <FailuresView {...props} />
      {jobs.length === 0 || (run.problem !== '' && jobs.length === 1) ? null : <RunGraph {...props} />}
      <Deployments {...props} />
      <Annotations {...props} />
      <Summaries {...props} />
      {artifacts.length === 0 ? null : <Artifacts {...props} />}
    </RunFrame>
  )
}

/** The environments to which jobs of the run deploy. */
const Deployments = (props: RunProps) => (
  <RowBox
    head={<h2>{actionsTexts.environments.title}</h2>}
    rows={props.jobs.filter(({ environment }) => environment !== '')}
  >
    {(job) => (
      <li class="row">
        <StatusIcon status={job.status} />
        <div class="row-main">
          <EnvironmentFact owner={props.owner} repo={props.repo} job={job} />
        </div>
        <Link class="cut" to={jobPath(props, props.run, job)}>
          {job.name}
        </Link>
      </li>
    )}
  </RowBox>
)

const Approval = (props: RunProps) =>
  waitsForApproval(props.run) && !isFinal(props.run.status) ? (
    <div class="flash warning" role="status">
      <Icon name="shield" />
      <div class="stack tight">
        <strong>{texts.approvalTitle}</strong>
        <p>{props.may.run ? texts.approvalLead : texts.approvalReader}</p>
        <div class="acts">
          {props.may.run ? (
            <ActButton to={runPath(props, props.run, 'approve')} kind="primary" icon="check">
              {texts.approve}
            </ActButton>
          ) : null}
          <Changes {...props} />
        </div>
      </div>
    </div>
  ) : null

/** The way to the changes of a pull request. */
const Changes = (props: RunProps) => {
  const pull = /^#\d+$/.test(props.run.head) ? headPath(props, props.run) : undefined
  return pull === undefined ? null : <ButtonLink to={`${pull}/files`}>{texts.changes}</ButtonLink>
}

/** The labels that jobs wait for; one line for the jobs of a matrix. */
const Waiting = (props: RunProps) => {
  const waiting = props.jobs.filter(({ status }) => status === 'waiting')
  return (
    <>
      {[...Map.groupBy(waiting, ({ runs_on: labels }) => labels)].map(([labels, { length }]) => (
        <WaitingFor {...props} labels={labels} count={length} match={props.runners.get(labels) ?? 'online'} />
      ))}
    </>
  )
}

const WaitingFor = ({
  labels,
  count,
  match,
  ...props
}: RunProps & { readonly labels: string; readonly count: number; readonly match: RunnerMatch }) => {
  const tags = (JSON.parse(labels) as string[]).map((label) => (
    <>
      {' '}
      <Tag>{label}</Tag>
    </>
  ))
  return match === 'online' ? (
    <p class="muted small">
      {texts.waiting(count)}
      {tags}
    </p>
  ) : (
    <Flash tone="warning">
      {texts.runner[match](count)}
      {tags}{' '}
      {props.may.addRunners ? (
        <Link to={pathOf(props.owner.name, props.repo.name, 'settings', 'actions', 'runners')}>{texts.addRunner}</Link>
      ) : null}
    </Flash>
  )
}

/** The files of an artifact of an old protocol are rows of the same name. */
function Artifacts(props: RunProps) {
  const byName = [...Map.groupBy(props.artifacts, ({ name }) => name)]
  return (
    <RowBox head={<h2>{texts.artifacts}</h2>} rows={byName}>
      {([name, files]) => <Artifact {...props} name={name} files={files} />}
    </RowBox>
  )
}

/** An artifact, or only its name once the content is deleted. */
const Artifact = ({
  name,
  files,
  ...props
}: RunProps & { readonly name: string; readonly files: readonly ActionArtifactRow[] }) => {
  const isExpired = files.every((file) => file.is_expired)
  const hasPage = !isExpired && files.some(({ version }) => version === 4)
  return (
    <li class="row artifact">
      <Icon name="file-zip" />
      <div class="row-main">
        {hasPage ? (
          <Link class="row-title" to={artifactPath(props, props.run, name)} data-turbo="false">
            {name}
          </Link>
        ) : (
          <span class={isExpired ? 'muted' : 'row-title'}>{name}</span>
        )}
      </div>
      <div class="row-side">
        <span class="artifact-expiry">
          {isExpired ? texts.artifactExpired : texts.artifactExpires} <Time unix={files[0]?.expires_unix ?? 0} />
        </span>
        <span class="artifact-size">
          {isExpired ? null : sizeText(files.reduce((sum, file) => sum + file.size_bytes, 0))}
        </span>
        {props.may.run && !isExpired ? (
          <ActButton
            to={`${artifactPath(props, props.run, name)}/delete`}
            kind="danger"
            class="small"
            aria-label={texts.deleteArtifact(name)}
            confirm={texts.deleteArtifactQuestion(name)}
          >
            {shared.delete}
          </ActButton>
        ) : null}
      </div>
    </li>
  )
}
