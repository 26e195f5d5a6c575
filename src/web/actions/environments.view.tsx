import type { DeploymentRow } from '../../actions/environments/environment.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { UserId } from '../../lib/ids.ts'
import { Icon } from '../ui/icon.tsx'
import { Link, OutsideLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { Person } from '../ui/person.tsx'
import { durationText, Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { actionsPath, commitPath, environmentPath, headPath, jobPath } from './actions-paths.ts'
import { secondsOf, StatusIcon, workflowNameOf } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

const texts = actionsTexts.environments

interface EnvironmentsProps {
  readonly owner: UserRow
  readonly repo: RepoRow
  /** The chosen environment; empty for the list of all. */
  readonly name: string
  readonly number: number
  readonly isLast: boolean
  /** The deployments to the environment, or the newest one of each. */
  readonly rows: readonly DeploymentRow[]
  /** The number of deployments to each environment. */
  readonly counts: readonly number[] | undefined
  readonly actors: ReadonlyMap<UserId, UserRow>
}

export const EnvironmentsView = (props: EnvironmentsProps) => {
  const { name, rows, counts, number } = props
  const current = number === 1 ? rows.find(({ status }) => status === 'success') : undefined
  return (
    <div class="stack">
      <PageHead
        title={name || texts.title}
        lead={
          name === '' ? (
            <Link to={actionsPath(props)}>{actionsTexts.list.all}</Link>
          ) : (
            <Link to={environmentPath(props)}>{texts.all}</Link>
          )
        }
      />
      <RowBox
        rows={rows}
        links
        label={texts.title}
        empty={
          <Empty icon="server" title={texts.none}>
            <p>{texts.noneLead}</p>
          </Empty>
        }
      >
        {(row, index) => (
          <Deployment
            {...props}
            row={row}
            count={counts?.[index]}
            isCurrent={counts === undefined && row === current}
          />
        )}
      </RowBox>
      <Pages page={props.number} isLast={props.isLast} />
    </div>
  )
}

/** The newest deployment to an environment, which leads to the others; or one of them, which leads to its job. */
const Deployment = ({
  row,
  count,
  isCurrent,
  actors,
  ...props
}: EnvironmentsProps & {
  readonly row: DeploymentRow
  readonly count: number | undefined
  /** It is the newest one that succeeded. */
  readonly isCurrent: boolean
}) => {
  const { nowUnix } = usePage()
  const actor = actors.get(row.doer_id)
  const job = jobPath(props, row, row)
  const head = headPath(props, row)
  const seconds = secondsOf(row, nowUnix)
  return (
    <li class="row deployment">
      <StatusIcon status={row.status} />
      <div class="row-main">
        <div class="line">
          {count === undefined ? (
            <Link class="row-title" to={job} data-row-link="">
              <TitleText text={row.title || workflowNameOf(row)} />
            </Link>
          ) : (
            <Link class="row-title" to={environmentPath(props, row.environment)} data-row-link="">
              {row.environment}
            </Link>
          )}
          {isCurrent ? <Tag tone="good">{texts.current}</Tag> : null}
        </div>
        <div class="row-facts">
          <span>{actionsTexts.status(row.status)}</span>
          <Link to={job}>
            {row.name} {actionsTexts.run.number(row.number)}
          </Link>
          {head === undefined ? null : (
            <Link class="ref cut" to={head}>
              {row.head}
            </Link>
          )}
          <Link to={commitPath(props, row.commit_oid)}>
            <Icon name="git-commit" />
            <code>{row.commit_oid.slice(0, 10)}</code>
          </Link>
          {actor ? (
            <span class="nowrap">
              {actionsTexts.list.by} <Person person={actor} withPicture={false} />
            </span>
          ) : null}
          <Time unix={row.created_unix} />
          {seconds === undefined ? null : (
            <span class="nowrap">
              <Icon name="stopwatch" />
              {durationText(seconds)}
            </span>
          )}
          {count === undefined ? null : <span>{texts.count(count)}</span>}
        </div>
        {row.environment_url === '' ? null : (
          <p class="deployment-address">
            <Icon name="link-external" />
            <OutsideLink href={row.environment_url}>{row.environment_url}</OutsideLink>
          </p>
        )}
      </div>
    </li>
  )
}
