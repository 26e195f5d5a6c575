import type { ComponentChildren } from 'preact'
import type { ActView } from '../../activity/act-view.present.ts'
import type { RunOfRepo } from '../../actions/runs/failing-run.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { ListedIssue } from '../../issues/lists/listed-issue.service.ts'
import type { PullMarks } from '../../pulls/merge/pull-marks.service.ts'
import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import { ActList } from '../lists/act-list.tsx'
import { IssueLine } from '../lists/issue-line.tsx'
import { RepositoryRow } from '../lists/repository-row.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Box, Counter, Empty } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { pathOf, siteHref } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { RepositoryPicture } from '../ui/repository-picture.tsx'
import { Time } from '../ui/time.tsx'
import { homeTexts as texts } from '../languages/texts.ts'

/** What a guest sees. */
export interface Welcome {
  readonly repos: readonly OwnedRepo[]
  readonly offersSignUp: boolean
  readonly mayExplore: boolean
}

export interface FoundWork {
  readonly issues: readonly ListedIssue[]
  readonly total: number
}

/** What a member sees. */
export interface Dashboard {
  readonly reviews: FoundWork
  readonly ownPulls: FoundWork
  readonly assigned: FoundWork
  /** Unread texts that mention the person. */
  readonly mentions: readonly ListedIssue[]
  /** What stands between the pull requests and their merge. */
  readonly marks: ReadonlyMap<ListedIssue['issue']['id'], PullMarks>
  readonly failing: readonly RunOfRepo[]
  readonly repos: readonly OwnedRepo[]
  readonly repoTotal: number
  readonly organizations: readonly UserRow[]
  readonly mayCreateOrgs: boolean
  readonly acts: readonly ActView[]
}

export const HomeView = ({
  dashboard,
  welcome,
}: {
  readonly dashboard: Dashboard | undefined
  readonly welcome: Welcome | undefined
}) => (
  <div class="container">
    {dashboard ? <MemberHome {...dashboard} /> : null}
    {welcome ? <GuestHome {...welcome} /> : null}
  </div>
)

const GuestHome = ({ repos, offersSignUp, mayExplore }: Welcome) => {
  const { config } = usePage()
  const { disableUsersPage, disableOrganizationsPage } = config.serviceExplore
  return (
    <>
      <section class="welcome">
        <img src={siteHref(config, '/assets/icon.svg')} width="56" height="56" alt="" />
        <div class="welcome-text">
          <h1>{config.instance.appName}</h1>
          <p class="lead">{config.instance.appSlogan || texts.lead}</p>
        </div>
        <div class="acts">
          <ButtonLink kind="primary" icon="sign-in" to="/user/login">
            {texts.signIn}
          </ButtonLink>
          {offersSignUp ? <ButtonLink to="/user/sign_up">{texts.signUp}</ButtonLink> : null}
        </div>
      </section>
      {mayExplore ? (
        <Section
          title={texts.publicRepositories}
          aside={
            <nav class="line small" aria-label={texts.guestLinks}>
              <Link to="/explore/repos">{texts.allRepositories}</Link>
              {disableUsersPage ? null : <Link to="/explore/users">{texts.people}</Link>}
              {disableOrganizationsPage ? null : <Link to="/explore/organizations">{texts.organizations}</Link>}
              <Link to="/api/swagger">{texts.api}</Link>
            </nav>
          }
        >
          <RowBox
            rows={repos}
            links
            none={
              <Empty icon="repo" title={texts.nothingPublic}>
                <p>{texts.nothingPublicHint}</p>
              </Empty>
            }
          >
            {(each) => <RepositoryRow {...each} />}
          </RowBox>
        </Section>
      ) : null}
    </>
  )
}

const Section = ({
  title,
  aside,
  children,
}: {
  readonly title: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="home-section">
    <div class="line between">
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
)

function MemberHome(dashboard: Dashboard) {
  const { reviews, ownPulls, assigned, mentions, marks, failing, acts, repos } = dashboard
  const isCalm = [reviews.issues, ownPulls.issues, assigned.issues, mentions, failing].every(
    (list) => list.length === 0,
  )
  const isNew = repos.length === 0 && acts.length === 0
  return (
    <>
      <h1 class="sr-only">{texts.title}</h1>
      <div class="columns">
        <div class="stack loose">
          {isNew && isCalm ? <Begin /> : isCalm ? <Calm /> : null}
          <Work title={texts.reviews} found={reviews} marks={marks} to="/pulls?type=review_requested" />
          <Work title={texts.ownPulls} found={ownPulls} marks={marks} to="/pulls?type=created" />
          <Work title={texts.assigned} found={assigned} marks={marks} to="/issues?type=assigned" />
          <Work
            title={texts.mentions}
            found={{ issues: mentions, total: mentions.length }}
            marks={marks}
            to="/notifications"
          />
          {failing.length === 0 ? null : (
            <Section title={texts.failing}>
              <RowBox rows={failing} links>
                {(each) => <RunLine {...each} />}
              </RowBox>
            </Section>
          )}
          {isNew ? null : (
            <Section title={texts.activity}>
              {acts.length === 0 ? <p class="muted">{texts.noActivity}</p> : <ActList acts={acts} />}
            </Section>
          )}
        </div>
        <Beside {...dashboard} />
      </div>
    </>
  )
}

const Calm = () => (
  <div class="calm">
    <Icon name="check-circle" />
    <p>
      <strong>{texts.calm}</strong> <span class="muted">{texts.calmHint}</span>
    </p>
  </div>
)

const Work = ({
  title,
  found,
  marks,
  to,
}: {
  readonly title: string
  readonly found: FoundWork
  readonly marks: Dashboard['marks']
  readonly to: string
}) =>
  found.issues.length === 0 ? null : (
    <Section
      title={
        <>
          {title} <Counter count={found.total} />
        </>
      }
      aside={
        found.total > found.issues.length ? (
          <Link class="small" to={to}>
            {texts.all}
          </Link>
        ) : null
      }
    >
      <RowBox rows={found.issues} links>
        {(each) => <IssueLine {...each} marks={marks.get(each.issue.id)} />}
      </RowBox>
    </Section>
  )

const RunLine = ({ run, repo, owner }: RunOfRepo) => (
  <li class="row issue-line">
    <Icon name="x-circle" class="row-icon danger-text" />
    <div class="row-main">
      <Link class="row-title" to={pathOf(owner.name, repo.name, 'actions', 'runs', run.number)} data-row-link="">
        {run.title}
      </Link>
      <div class="row-facts">
        <Link to={pathOf(owner.name, repo.name)}>
          {owner.name}/{repo.name}
        </Link>
        <span>{run.workflow_name === '' ? run.workflow_id : run.workflow_name}</span>
        <span>
          <Icon name="git-branch" />
          {run.head}
        </span>
        <Time unix={run.stopped_unix > 0 ? run.stopped_unix : run.updated_unix} />
      </div>
    </div>
  </li>
)

const Step = ({
  to,
  icon,
  title,
  hint,
}: {
  readonly to: string
  readonly icon: IconName
  readonly title: string
  readonly hint: string
}) => (
  <li class="row">
    <Icon name={icon} class="row-icon" />
    <div class="row-main">
      <Link class="row-title" to={to} data-row-link="">
        {title}
      </Link>
      <p class="row-text">{hint}</p>
    </div>
  </li>
)

const Begin = () => (
  <Section title={texts.begin}>
    <p class="muted">{texts.beginLead}</p>
    <Box>
      <ul class="rows" data-rows="">
        <Step to="/repo/create" icon="repo" title={texts.create} hint={texts.createHint} />
        <Step to="/repo/migrate" icon="repo-push" title={texts.migrate} hint={texts.migrateHint} />
        <Step to="/user/settings/keys" icon="key" title={texts.keys} hint={texts.keysHint} />
      </ul>
    </Box>
  </Section>
)

const Beside = ({ repos, repoTotal, organizations, mayCreateOrgs }: Dashboard) => {
  const { viewer } = usePage()
  const rest = repoTotal - repos.length
  return (
    <aside class="stack loose home-side">
      <section>
        <div class="line between">
          <h2>{texts.repositories}</h2>
          <ButtonLink class="small" icon="plus" to="/repo/create" aria-label={texts.newRepository}>
            {texts.new}
          </ButtonLink>
        </div>
        {repos.length === 0 ? (
          <p class="muted">{texts.noRepositories}</p>
        ) : (
          <>
            {repos.length > 6 ? (
              <input
                type="search"
                class="needs-script"
                placeholder={texts.filter}
                aria-label={texts.filterRepositories}
                data-filter-list="#own-repositories"
              />
            ) : null}
            <ul id="own-repositories" class="link-list">
              {repos.map((each) => (
                <li>
                  <Link to={pathOf(each.owner.name, each.repo.name)}>
                    <RepositoryPicture repo={each.repo} size={16} />
                    <span class="cut">
                      <span class="muted">{each.owner.name}/</span>
                      {each.repo.name}
                    </span>
                  </Link>
                </li>
              ))}
              <li class="muted" data-filter-empty="" hidden>
                {texts.noFilterMatch}
              </li>
            </ul>
            {rest > 0 && viewer ? (
              <Link class="small" to={pathOf(viewer.user.name)}>
                {texts.more(rest)}
              </Link>
            ) : null}
          </>
        )}
      </section>
      {organizations.length === 0 && !mayCreateOrgs ? null : (
        <section>
          <div class="line between">
            <h2>{texts.organizations}</h2>
            {mayCreateOrgs ? (
              <ButtonLink class="small" icon="plus" to="/org/create" aria-label={texts.newOrganization}>
                {texts.new}
              </ButtonLink>
            ) : null}
          </div>
          {organizations.length === 0 ? (
            <p class="muted">{texts.noOrganizations}</p>
          ) : (
            <ul class="link-list">
              {organizations.map((org) => (
                <li>
                  <Link to={pathOf(org.name)}>
                    <Avatar person={org} size={20} />
                    <span class="cut">{org.name}</span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
    </aside>
  )
}
