import { isFinal } from '../../actions/status.rules.ts'
import type { RunWithJobs } from '../../actions/runs/run-list.service.ts'
import { waitsForApproval } from '../../actions/runs/trust.rules.ts'
import type { ActionArtifactRow } from '../../db/tables/actions.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { ActButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Box, Flash, Tag } from '../ui/parts.tsx'
import { sizeText, texts as shared } from '../ui/texts.tsx'
import { Time } from '../ui/time.tsx'
import { actionsPath, artifactPath, runPath } from './actions-paths.ts'
import { RunGraph } from './run-graph.view.tsx'
import { RunFrame } from './run-frame.view.tsx'
import type { RunState } from './run-state.ts'
import { texts as all } from './texts.tsx'

const texts = all.run

export interface RunProps extends RunWithJobs {
  readonly owner: UserRow
  readonly repo: RepoRow
  readonly artifacts: readonly ActionArtifactRow[]
  readonly may: { readonly run: boolean }
  readonly state: RunState
}

export const RunView = (props: RunProps) => {
  const { run, jobs, artifacts } = props
  return (
    <RunFrame {...props} isFollowed={props.state.isOpen}>
      <Approval {...props} />
      {run.is_held ? <Flash tone="info">{texts.held}</Flash> : null}
      {run.problem === '' ? null : (
        <Flash tone="problem">
          {texts.problem(run.workflow_id)} {run.problem}{' '}
          <Link to={actionsPath(props, { workflow: run.workflow_id })}>{texts.toWorkflow}</Link>
        </Flash>
      )}
      {jobs.length === 0 || run.problem !== '' ? null : <RunGraph {...props} />}
      <Waiting jobs={jobs} />
      {artifacts.length === 0 ? null : <Artifacts {...props} />}
    </RunFrame>
  )
}

const Approval = (props: RunProps) =>
  waitsForApproval(props.run) && !isFinal(props.run.status) ? (
    <div class="flash warning" role="status">
      <Icon name="shield" />
      <div class="stack tight">
        <strong>{texts.approvalTitle}</strong>
        <p>{props.may.run ? texts.approvalLead : texts.approvalReader}</p>
        {props.may.run ? (
          <ActButton to={runPath(props, props.run, 'approve')} kind="primary" icon="check">
            {texts.approve}
          </ActButton>
        ) : null}
      </div>
    </div>
  ) : null

/** The labels that jobs wait for; one line for the jobs of a matrix. */
const Waiting = ({ jobs }: Pick<RunProps, 'jobs'>) => {
  const waiting = jobs.filter(({ status }) => status === 'waiting')
  return (
    <>
      {[...Map.groupBy(waiting, ({ runs_on: labels }) => labels)].map(([labels, { length }]) => (
        <p class="muted small">
          {texts.waiting(length)}{' '}
          {(JSON.parse(labels) as string[]).map((label) => (
            <Tag>{label}</Tag>
          ))}
        </p>
      ))}
    </>
  )
}

/** The files of an artifact of an old protocol are rows of the same name. */
function Artifacts(props: RunProps) {
  const byName = [...Map.groupBy(props.artifacts, ({ name }) => name)]
  return (
    <Box head={<h2>{texts.artifacts}</h2>}>
      <ul class="rows">
        {byName.map(([name, files]) => (
          <li class="row artifact">
            <Icon name="file-zip" />
            <div class="row-main">
              {files.some(({ version }) => version === 4) ? (
                <Link class="row-title" to={artifactPath(props, props.run, name)} data-turbo="false">
                  {name}
                </Link>
              ) : (
                <span class="row-title">{name}</span>
              )}
            </div>
            <div class="row-side">
              <span class="artifact-expiry">
                {texts.artifactExpires} <Time unix={files[0]?.expires_unix ?? 0} />
              </span>
              <span class="artifact-size">{sizeText(files.reduce((sum, file) => sum + file.size_bytes, 0))}</span>
              {props.may.run ? (
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
        ))}
      </ul>
    </Box>
  )
}
