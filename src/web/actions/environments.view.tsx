import type { DeploymentRow } from '../../actions/environments/environment.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { UserId } from '../../lib/ids.ts'
import { Icon } from '../ui/icon.tsx'
import { Link, OutsideLink } from '../ui/link.tsx'
import { Empty, PageHead, Pages } from '../ui/parts.tsx'
import { Person } from '../ui/person.tsx'
import { Time } from '../ui/time.tsx'
import { actionsPath, commitPath, environmentPath, jobPath } from './actions-paths.ts'
import { StatusIcon } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

const texts = actionsTexts.environments

interface EnvironmentsProps {
  readonly owner: UserRow
  readonly repo: RepoRow
  /** The chosen environment; empty for actionsTexts. */
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
  const { name, rows, counts } = props
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
        {(row, index) => <Deployment {...props} row={row} count={counts?.[index]} />}
      </RowBox>
      <Pages page={props.number} isLast={props.isLast} />
    </div>
  )
}

const Deployment = ({
  row,
  count,
  actors,
  ...props
}: EnvironmentsProps & { readonly row: DeploymentRow; readonly count: number | undefined }) => {
  const actor = actors.get(row.doer_id)
  const job = jobPath(props, row, row)
  return (
    <li class="row">
      <StatusIcon status={row.status} />
      <div class="row-main">
        <Link
          class="row-title"
          to={count === undefined ? job : environmentPath(props, row.environment)}
          data-row-link=""
        >
          {count === undefined ? row.name : row.environment}
        </Link>
        <div class="row-facts">
          <Link to={job}>{actionsTexts.run.number(row.number)}</Link>
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
          {row.environment_url === '' ? null : (
            <OutsideLink href={row.environment_url}>{row.environment_url}</OutsideLink>
          )}
          {count === undefined ? null : <span>{texts.count(count)}</span>}
        </div>
      </div>
    </li>
  )
}
