import type { ListedRun, RunListQuery } from '../../actions/runs/run-list.service.ts'
import { waitsForApproval } from '../../actions/runs/trust.rules.ts'
import type { ListedWorkflow } from '../../actions/workflows/workflow-list.service.ts'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Commands, Empty, Flash, PageHead, Pages, SideMenu, Tag } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Person } from '../ui/person.tsx'
import { durationText, Time } from '../ui/time.tsx'
import { actionsPath, environmentPath, headPath, runPath } from './actions-paths.ts'
import { Filters } from './run-filters.view.tsx'
import { secondsOf, StatusIcon, workflowNameOf } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'
import type { WorkflowsProps } from './workflows-props.ts'
import { WorkflowActs } from './workflow-acts.view.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { inReadersWords } from '../languages/refusals.ts'

const texts = actionsTexts.list

export function WorkflowsView(props: WorkflowsProps) {
  const { workflows, facets, filter, runs } = props
  if (workflows.length === 0 && facets.workflows.size === 0) return <FirstWorkflow {...props} />
  const chosen = workflows.find(({ file }) => file.id === filter.workflow)
  const problem = chosen && !chosen.file.parsed.ok ? chosen.file.parsed.problem : undefined
  return (
    <div class="columns side-first actions-page">
      <Workflows {...props} />
      <div class="stack">
        <PageHead
          title={chosen ? nameOf(chosen) : filter.workflow || texts.all}
          lead={
            chosen ? (
              <Link to={filePath(props, chosen)}>{chosen.file.path}</Link>
            ) : filter.workflow ? (
              texts.gone
            ) : undefined
          }
        >
          {chosen ? <WorkflowActs {...props} workflow={chosen} /> : null}
        </PageHead>
        {chosen?.isDisabled ? <Flash tone="info">{texts.disabledLead}</Flash> : null}
        {problem === undefined || !chosen ? null : (
          <Flash tone="problem">
            {texts.problem(chosen.file.path)} {inReadersWords(problem)}
          </Flash>
        )}
        <RowBox
          head={<Filters {...props} />}
          class="runs"
          rows={runs}
          links
          label={texts.runs}
          empty={<NoRuns {...props} />}
        >
          {(listed) => <RunRow {...props} {...listed} />}
        </RowBox>
        <Pages page={props.number} isLast={!props.hasMore} />
      </div>
    </div>
  )
}

/** Returns the name of a workflow: that of its file, or the path. */
const nameOf = ({ file }: ListedWorkflow): string => (file.parsed.ok ? file.parsed.workflow.name : '') || file.id

const filePath = ({ owner, repo }: WorkflowsProps, { file }: ListedWorkflow): string =>
  pathOf(owner.name, repo.name, 'src', 'branch', repo.default_branch, file.path)

function Workflows(props: WorkflowsProps) {
  const { workflows, facets, filter } = props
  const known = new Set(workflows.map(({ file }) => file.id))
  const gone = [...facets.workflows].filter(([id]) => !known.has(id))
  const item = (id: string, label: string) => ({
    label,
    to: actionsPath(props, { workflow: id }),
    isCurrent: filter.workflow === id,
  })
  return (
    <SideMenu
      label={texts.workflows}
      groups={[
        {
          items: [
            { label: texts.all, to: actionsPath(props), icon: 'workflow', isCurrent: (filter.workflow ?? '') === '' },
            { label: actionsTexts.environments.title, to: environmentPath(props), icon: 'server', isCurrent: false },
          ],
        },
        {
          title: texts.workflows,
          items: workflows.map((workflow) => ({
            ...item(workflow.file.id, nameOf(workflow)),
            ...(workflow.isDisabled
              ? ({ icon: 'no-entry' } as const)
              : workflow.file.parsed.ok
                ? ({ icon: 'play' } as const)
                : ({ icon: 'alert' } as const)),
          })),
        },
        ...(gone.length === 0
          ? []
          : [
              {
                title: texts.gone,
                items: gone.map(([id, name]) => ({ ...item(id, name || id), icon: 'history' as const })),
              },
            ]),
      ]}
    />
  )
}

const RunRow = ({ run, actor, ...names }: WorkflowsProps & ListedRun) => {
  const { nowUnix } = usePage()
  const seconds = secondsOf(run, nowUnix)
  const head = headPath(names, run)
  return (
    <li class="row">
      <StatusIcon status={run.status} />
      <div class="row-main">
        <Link class="row-title" to={runPath(names, run)} data-row-link="">
          {run.title || workflowNameOf(run)}
        </Link>
        <div class="row-facts">
          <span>
            <Link to={actionsPath(names, { workflow: run.workflow_id })}>{workflowNameOf(run)}</Link>{' '}
            {actionsTexts.run.number(run.number)}
          </span>
          <span class="nowrap">
            {actionsTexts.event(run.event)}{' '}
            {actor ? (
              <>
                {texts.by} <Person person={actor} withPicture={false} />
              </>
            ) : null}
          </span>
          {run.is_foreign ? <Tag title={actionsTexts.run.untrustedHint}>{actionsTexts.run.untrusted}</Tag> : null}
          {run.problem === '' ? null : (
            <Tag tone="danger" title={inReadersWords(run.problem)}>
              {texts.invalid}
            </Tag>
          )}
          {waitsForApproval(run) ? <Tag tone="warning">{texts.approval}</Tag> : null}
        </div>
      </div>
      <div class="run-head-ref">
        {head === undefined ? (
          <code class="cut">{run.head.slice(0, 10)}</code>
        ) : (
          <Link class="ref cut" to={head} title={run.head}>
            {run.head}
          </Link>
        )}
      </div>
      <div class="run-times">
        <Time unix={run.created_unix} />
        <span>{seconds === undefined ? '' : durationText(seconds + run.previous_seconds)}</span>
      </div>
    </li>
  )
}

const isFiltered = ({ status, event, branch, actor }: RunListQuery): boolean =>
  [status, event, branch, actor].some((each) => each !== undefined && each !== '')

const NoRuns = (props: WorkflowsProps) =>
  isFiltered(props.filter) ? (
    <Empty icon="search" title={texts.noRuns}>
      <p>{texts.noRunsLead}</p>
      <div class="acts">
        <ButtonLink to={actionsPath(props, { workflow: props.filter.workflow })}>{texts.clear}</ButtonLink>
      </div>
    </Empty>
  ) : (
    <Empty icon="play" title={texts.noRunsYet}>
      <p>{texts.noRunsYetLead}</p>
    </Empty>
  )

const FirstWorkflow = ({ owner, repo, may }: WorkflowsProps) => (
  <div>
    <h1 class="sr-only">{texts.all}</h1>
    <Empty icon="workflow" title={texts.empty}>
      <p>{may.write ? texts.emptyLead : texts.emptyReader}</p>
      {may.write ? (
        <>
          <div class="first-workflow">
            <p class="small muted">
              <Icon name="file-code" /> <code>{texts.emptyFile}</code>
            </p>
            <Commands text={texts.emptyWorkflow} label={texts.emptyFile} />
          </div>
          <div class="acts">
            <ButtonLink
              kind="primary"
              icon="plus"
              to={withQuery(pathOf(owner.name, repo.name, '_new', repo.default_branch), {
                name: texts.emptyFile,
                value: texts.emptyWorkflow,
              })}
            >
              {texts.create}
            </ButtonLink>
          </div>
        </>
      ) : null}
    </Empty>
  </div>
)
