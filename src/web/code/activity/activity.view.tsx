import type { Contributions, Contributor } from '../../../code/commits/contributor.service.ts'
import type { Pulse } from '../../../issues/lists/pulse.service.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Link } from '../../ui/link.tsx'
import { Empty, PageHead, Tabs } from '../../ui/parts.tsx'
import { Person } from '../../ui/person.tsx'
import { numberText } from '../../languages/amounts.ts'
import { dateText, Time } from '../../ui/time.tsx'
import { TitleText } from '../../ui/title-text.tsx'
import { repositoryPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

/** Days that the page looks back. */
export const periods = [1, 7, 30, 90, 365] as const

export interface ActivityProps {
  readonly repository: RepositoryNames
  readonly days: number
  readonly pulse: Pulse
  readonly contributions: Contributions | undefined
}

/** Rows of each list. */
const shownRows = 15

const ActivityTabs = ({ repository, current }: { readonly repository: RepositoryNames; readonly current: string }) => (
  <Tabs
    label={texts.activity}
    tabs={[
      {
        label: texts.pulse,
        to: repositoryPath(repository, 'activity'),
        icon: 'pulse',
        isCurrent: current === 'pulse',
      },
      {
        label: texts.contributors,
        to: repositoryPath(repository, 'graphs/contributors'),
        icon: 'people',
        isCurrent: current === 'contributors',
      },
    ]}
  />
)

/** Bars of equal width, as high as their values. */
const Bars = ({
  values,
  most,
  label,
}: {
  readonly values: readonly number[]
  readonly most: number
  label: string
}) => (
  <svg class="bars" viewBox={`0 0 ${values.length * 4} 40`} preserveAspectRatio="none" role="img" aria-label={label}>
    {values.map((value, index) => {
      const height = value === 0 ? 0 : Math.max(1, (value / Math.max(1, most)) * 40)
      return height === 0 ? null : <rect x={index * 4} y={40 - height} width={3} height={height} />
    })}
  </svg>
)

const Number = ({ icon, count, label }: { icon: IconName; count: number; label: string }) => (
  <div class="pulse-figure">
    <Icon name={icon} />
    <strong>{numberText(count)}</strong>
    <span class="muted">{label}</span>
  </div>
)

const Changes = ({
  repository,
  title,
  rows,
  part,
  when,
}: {
  readonly repository: RepositoryNames
  readonly title: string
  readonly rows: Pulse['openedIssues']
  readonly part: 'issues' | 'pulls'
  readonly when: 'created_unix' | 'closed_unix' | 'merged_unix'
}) => (
  <RowBox
    head={<h2>{title}</h2>}
    foot={rows.length > shownRows ? texts.andMore(rows.length - shownRows) : undefined}
    rows={rows.slice(0, shownRows)}
    links
  >
    {(row) => (
      <li class="row">
        <Link class="row-main row-title" to={repositoryPath(repository, part, row.index)}>
          <TitleText text={row.title} />
        </Link>
        <span class="row-side">
          #{row.index} <Time unix={row[when]} />
        </span>
      </li>
    )}
  </RowBox>
)

const Author = ({ contributor }: { readonly contributor: Contributor }) =>
  contributor.account ? (
    <Person person={contributor.account} />
  ) : (
    <span class="person">
      <Icon name="person" />
      {contributor.name}
    </span>
  )

export const ActivityView = ({ repository, days, pulse, contributions }: ActivityProps) => {
  const isQuiet =
    contributions === undefined &&
    pulse.mergedPulls.length + pulse.openedPulls.length + pulse.closedIssues.length + pulse.openedIssues.length === 0
  return (
    <div class="stack">
      <ActivityTabs repository={repository} current="pulse" />
      <PageHead title={texts.lastDays(days)}>
        <div class="button-group" role="group" aria-label={texts.period}>
          {periods.map((period) => (
            <Link
              class="button plain small"
              to={`${repositoryPath(repository, 'activity')}?days=${period}`}
              aria-current={period === days ? 'page' : undefined}
            >
              {texts.shortDays(period)}
            </Link>
          ))}
        </div>
      </PageHead>
      {isQuiet ? (
        <Empty icon="pulse" title={texts.quiet}>
          <p>{texts.quietHint}</p>
        </Empty>
      ) : (
        <>
          <div class="pulse">
            <Number icon="git-commit" count={contributions?.commits ?? 0} label={texts.commitsMade} />
            <Number icon="git-merge" count={pulse.mergedPulls.length} label={texts.pullsMerged} />
            <Number icon="git-pull-request" count={pulse.openedPulls.length} label={texts.pullsOpened} />
            <Number icon="issue-closed" count={pulse.closedIssues.length} label={texts.issuesClosed} />
            <Number icon="issue-opened" count={pulse.openedIssues.length} label={texts.issuesOpened} />
          </div>
          {contributions === undefined ? null : (
            <RowBox head={<h2>{texts.authors}</h2>} rows={contributions.contributors.slice(0, shownRows)}>
              {(contributor) => (
                <li class="row author-row">
                  <Author contributor={contributor} />
                  <Bars
                    values={contributor.steps}
                    most={Math.max(...contributions.steps)}
                    label={texts.commitsBy(contributor.name, contributor.commits)}
                  />
                  <span class="row-side">{texts.commits(contributor.commits)}</span>
                </li>
              )}
            </RowBox>
          )}
          <Changes
            repository={repository}
            title={texts.pullsMerged}
            rows={pulse.mergedPulls}
            part="pulls"
            when="merged_unix"
          />
          <Changes
            repository={repository}
            title={texts.pullsOpened}
            rows={pulse.openedPulls}
            part="pulls"
            when="created_unix"
          />
          <Changes
            repository={repository}
            title={texts.issuesClosed}
            rows={pulse.closedIssues}
            part="issues"
            when="closed_unix"
          />
          <Changes
            repository={repository}
            title={texts.issuesOpened}
            rows={pulse.openedIssues}
            part="issues"
            when="created_unix"
          />
          {pulse.isCut ? <p class="muted">{texts.pulseCut}</p> : null}
        </>
      )}
    </div>
  )
}

export interface ContributorsProps {
  readonly repository: RepositoryNames
  readonly branch: string
  readonly contributions: Contributions | undefined
}

/** Contributors that are shown. */
const shownContributors = 60

export const ContributorsView = ({ repository, branch, contributions }: ContributorsProps) => (
  <div class="stack">
    <ActivityTabs repository={repository} current="contributors" />
    {contributions === undefined ? (
      <Empty icon="people" title={texts.noContributors} />
    ) : (
      <>
        <PageHead
          title={texts.contributors}
          lead={texts.contributionsLead(contributions.commits, branch, contributions.isCut)}
        />
        <figure class="contributions">
          <Bars
            values={contributions.steps}
            most={Math.max(...contributions.steps)}
            label={texts.commits(contributions.commits)}
          />
          <figcaption class="muted small line between">
            <span>{dateText(contributions.fromUnix)}</span>
            <span>{dateText(contributions.toUnix)}</span>
          </figcaption>
        </figure>
        <ol class="grid contributors">
          {contributions.contributors.slice(0, shownContributors).map((contributor) => (
            <li class="contributor">
              <div class="line between">
                <Author contributor={contributor} />
                <span class="muted small">{texts.commits(contributor.commits)}</span>
              </div>
              <Bars
                values={contributor.steps}
                most={Math.max(...contributor.steps)}
                label={texts.commitsBy(contributor.name, contributor.commits)}
              />
            </li>
          ))}
        </ol>
      </>
    )}
  </div>
)
