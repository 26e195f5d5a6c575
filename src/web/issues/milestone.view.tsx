import { emptyQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import type { MilestoneRow } from '../../db/tables/issues.ts'
import type { FoundByQuery } from '../../issues/lists/query-list.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { formatUnix } from '../../lib/time.ts'
import { plainSummary } from '../../markup/plain-summary.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Empty, Markup, PageHead, Pages, Progress } from '../ui/parts.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { uiTexts as common } from '../languages/texts.ts'
import { Day } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { milestoneTexts as texts } from '../languages/texts.ts'
import { IssueListRow, type RowMarks } from './row.view.tsx'
import { issueTexts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

interface InRepository {
  readonly repository: RepoWithOwner
}

const pathsOf =
  ({ owner, repo }: RepoWithOwner) =>
  (...parts: readonly (string | number)[]): string =>
    pathOf(owner.name, repo.name, ...parts)

/** Date and progress of a milestone. */
export const MilestoneFacts = ({ milestone }: { readonly milestone: MilestoneRow }) => {
  const { nowUnix } = usePage()
  const isOverdue = !milestone.is_closed && milestone.due_unix > 0 && milestone.due_unix < nowUnix
  const percent =
    milestone.num_issues === 0 ? 0 : Math.floor((milestone.num_closed_issues / milestone.num_issues) * 100)
  return (
    <div class="milestone-facts">
      <Progress
        done={milestone.num_closed_issues}
        total={milestone.num_issues}
        label={texts.progress(milestone.title, milestone.num_closed_issues, milestone.num_issues)}
      />
      <p class="facts">
        <span>{texts.done(percent)}</span>
        <span>{texts.open(milestone.num_issues - milestone.num_closed_issues)}</span>
        <span>{texts.closed(milestone.num_closed_issues)}</span>
        <span class={isOverdue ? 'danger-text' : undefined}>
          {milestone.is_closed ? (
            <>
              {texts.closedOn}
              <Day unix={milestone.closed_unix} />
            </>
          ) : milestone.due_unix === 0 ? (
            texts.noDue
          ) : (
            <>
              {isOverdue ? texts.overdue : texts.dueOn}
              <Day unix={milestone.due_unix} />
            </>
          )}
        </span>
      </p>
    </div>
  )
}

/** The switch between open and closed. */
export const StateTabs = ({
  to,
  state,
  open,
  closed,
  icon = 'milestone',
}: {
  readonly to: string
  readonly state: 'open' | 'closed'
  readonly open: number
  readonly closed: number
  readonly icon?: IconName
}) => (
  <nav class="state-tabs" aria-label={texts.states}>
    <Link to={to} aria-current={state === 'open' ? 'true' : undefined}>
      <Icon name={icon} />
      {texts.open(open)}
    </Link>
    <Link to={withQuery(to, { state: 'closed' })} aria-current={state === 'closed' ? 'true' : undefined}>
      <Icon name="check" />
      {texts.closed(closed)}
    </Link>
  </nav>
)

/** The milestones of a repository. */
export const MilestonesView = ({
  repository,
  rows,
  state,
  open,
  closed,
  page,
  pageSize,
  mayChange,
}: InRepository & {
  readonly rows: readonly MilestoneRow[]
  readonly state: 'open' | 'closed'
  readonly open: number
  readonly closed: number
  readonly page: number
  readonly pageSize: number
  readonly mayChange: boolean
}) => {
  const at = pathsOf(repository)
  const total = state === 'open' ? open : closed
  return (
    <>
      <PageHead title={texts.title}>
        {mayChange ? (
          <ButtonLink to={at('milestones', 'new')} kind="primary" data-hotkey="c">
            {texts.create}
          </ButtonLink>
        ) : null}
      </PageHead>
      <RowBox
        head={<StateTabs to={at('milestones')} state={state} open={open} closed={closed} />}
        rows={rows}
        links
        empty={
          <Empty icon="milestone" title={state === 'open' ? texts.empty : texts.emptyClosed}>
            {state === 'open' ? <p>{texts.emptyLead}</p> : null}
          </Empty>
        }
      >
        {(milestone) => (
          <li class="row milestone-row">
            <div class="row-main">
              <Link class="row-title" to={at('milestone', milestone.id)} data-row-link="">
                {milestone.title}
              </Link>
              <p class="muted clamp">
                <TitleText text={plainSummary(milestone.content)} />
              </p>
            </div>
            <MilestoneFacts milestone={milestone} />
          </li>
        )}
      </RowBox>
      <Pages page={page} total={total} pageSize={pageSize} />
    </>
  )
}

/** A milestone with its issues. */
export const MilestoneView = ({
  repository,
  milestone,
  html,
  found,
  marks,
  state,
  page,
  pageSize,
  mayChange,
}: InRepository & {
  readonly milestone: MilestoneRow
  readonly html: string
  readonly found: FoundByQuery
  readonly marks: RowMarks
  readonly state: 'open' | 'closed'
  readonly page: number
  readonly pageSize: number
  readonly mayChange: boolean
}) => {
  const at = pathsOf(repository)
  return (
    <>
      <PageHead title={milestone.title}>
        {mayChange ? (
          <>
            <ButtonLink to={at('milestones', milestone.id, 'edit')}>{common.edit}</ButtonLink>
            <ActButton
              to={at('milestones', milestone.id, 'state')}
              hidden={{ state: milestone.is_closed ? 'open' : 'closed' }}
            >
              {milestone.is_closed ? texts.reopen : texts.close}
            </ActButton>
            <ActButton
              to={at('milestones', milestone.id, 'delete')}
              kind="danger"
              confirm={texts.deleteQuestion(milestone.title)}
            >
              {common.delete}
            </ActButton>
            <ButtonLink to={withQuery(at('issues', 'new'), { milestone: milestone.id })} kind="primary" data-hotkey="c">
              {issueTexts.newIssue}
            </ButtonLink>
          </>
        ) : null}
      </PageHead>
      <MilestoneFacts milestone={milestone} />
      {html === '' ? null : <Markup html={html} class="milestone-text" />}
      <RowBox
        class="milestone-issues"
        head={
          <>
            <StateTabs
              to={at('milestone', milestone.id)}
              icon="issue-opened"
              state={state}
              open={found.open.total}
              closed={found.closed.total}
            />
            <Link
              class="end"
              to={withQuery(at('issues'), { q: writeIssueQuery({ ...emptyQuery, state, milestone: milestone.title }) })}
            >
              {texts.all}
            </Link>
          </>
        }
        rows={found.rows}
        links
        empty={
          <Empty
            icon="issue-opened"
            title={found.open.total + found.closed.total === 0 ? texts.noIssues : texts.noneOf[state]}
          />
        }
      >
        {(row) => <IssueListRow row={row} repository={repository} around={found.around} marks={marks} />}
      </RowBox>
      <Pages page={page} total={found.shown.total} pageSize={pageSize} />
    </>
  )
}

/** The form of a milestone. */
export const MilestoneFormView = ({
  repository,
  milestone,
}: InRepository & { readonly milestone: MilestoneRow | undefined }) => {
  const at = pathsOf(repository)
  return (
    <div class="narrow">
      <PageHead title={milestone ? texts.edit(milestone.title) : texts.create} />
      <Form isEdit to={milestone ? at('milestones', milestone.id, 'edit') : at('milestones', 'new')} class="stack">
        <Field name="title" label={texts.name} value={milestone?.title} required isProse autofocus maxlength={255} />
        <Field
          name="due"
          type="date"
          label={texts.due}
          value={milestone && milestone.due_unix > 0 ? formatUnix(milestone.due_unix).slice(0, 10) : undefined}
        />
        <Editor
          name="content"
          label={texts.description}
          isLabelShown
          value={milestone?.content}
          repository={{ owner: repository.owner.name, name: repository.repo.name }}
        />
        <div class="form-acts">
          <Submit>{milestone ? texts.save : texts.add}</Submit>
          <Link class="button quiet" to={milestone ? at('milestone', milestone.id) : at('milestones')}>
            {common.cancel}
          </Link>
        </div>
      </Form>
    </div>
  )
}
