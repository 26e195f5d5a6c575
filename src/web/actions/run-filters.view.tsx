import type { ComponentChildren } from 'preact'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Menu, MenuFilter } from '../ui/parts.tsx'
import { actionsPath } from './actions-paths.ts'
import { StatusIcon } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'
import type { WorkflowsProps } from './workflows-props.ts'

const texts = actionsTexts.list

const shownStatuses = ['success', 'failure', 'running', 'waiting', 'blocked', 'cancelled', 'skipped'] as const

interface FilterChoice {
  readonly value: string
  readonly label: ComponentChildren
}

/** The menus that filter runs. Their choices are values of recent runs. */
export function Filters(props: WorkflowsProps) {
  const { facets, filter } = props
  const isSet = [filter.status, filter.event, filter.branch, filter.actor].some((each) => (each ?? '') !== '')
  return (
    <div class="line run-filters">
      <FilterMenu
        {...props}
        name="status"
        title={texts.status}
        choices={shownStatuses.map((status) => ({
          value: status,
          label: (
            <>
              <StatusIcon status={status} /> {actionsTexts.status(status)}
            </>
          ),
        }))}
      />
      <FilterMenu
        {...props}
        name="event"
        title={texts.event}
        choices={facets.events.map((event) => ({ value: event, label: actionsTexts.event(event) }))}
      />
      <FilterMenu
        {...props}
        name="branch"
        title={texts.branch}
        find={texts.filterBranches}
        choices={facets.branches.map((branch) => ({ value: branch, label: branch }))}
      />
      <FilterMenu
        {...props}
        name="actor"
        title={texts.actor}
        find={texts.filterActors}
        choices={facets.actors.map(({ name }) => ({ value: name, label: name }))}
      />
      {isSet ? (
        <Link class="small" to={actionsPath(props, { workflow: filter.workflow })}>
          {texts.clear}
        </Link>
      ) : null}
    </div>
  )
}

/** A filter of a list of this length gets a field to search it. */
const searchedFrom = 8

function FilterMenu({
  name,
  title,
  choices,
  find,
  filter,
  ...names
}: WorkflowsProps & {
  readonly name: 'status' | 'event' | 'branch' | 'actor'
  readonly title: string
  readonly choices: readonly FilterChoice[]
  readonly find?: string
}) {
  const value = filter[name] ?? ''
  const to = (chosen: string) => actionsPath(names, { ...filter, [name]: chosen })
  const chosen = choices.find((choice) => choice.value === value)
  const list = `filter-${name}`
  return (
    <Menu
      kind="quiet"
      class="filter-menu"
      label={
        <>
          {value === '' ? title : (chosen?.label ?? value)}
          <Icon name="triangle-down" />
        </>
      }
    >
      {find !== undefined && choices.length >= searchedFrom ? <MenuFilter list={list} label={find} /> : null}
      <ul id={list}>
        <li data-filter-keep="">
          <Link to={to('')} aria-current={value === '' ? 'true' : undefined}>
            {texts.any}
          </Link>
        </li>
        {choices.map((choice) => (
          <li>
            <Link to={to(choice.value)} aria-current={choice.value === value ? 'true' : undefined}>
              {choice.label}
            </Link>
          </li>
        ))}
      </ul>
    </Menu>
  )
}
