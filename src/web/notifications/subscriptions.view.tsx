import type { ComponentChildren } from 'preact'
import type { FoundMine } from '../../issues/lists/personal-list.service.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import type { WatchLevel } from '../../repos/watch-level.ts'
import { RepositoryTags } from '../lists/repository-row.tsx'
import { ActButton } from '../ui/button.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Empty, PageHead, Pages, Tabs } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { RepositoryPicture } from '../ui/repository-picture.tsx'
import { Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { notificationTexts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'
import { WatchMenu } from '../frames/watch-menu.view.tsx'

const texts = notificationTexts.subscriptions

const Frame = ({
  current,
  children,
}: {
  readonly current: 'issues' | 'repositories'
  readonly children: ComponentChildren
}) => (
  <div class="container">
    <PageHead title={texts.title} lead={texts.lead}>
      <ButtonLink to="/notifications">{notificationTexts.title}</ButtonLink>
    </PageHead>
    <Tabs
      label={texts.title}
      tabs={[
        {
          label: texts.issues,
          to: '/notifications/subscriptions',
          icon: 'issue-opened',
          isCurrent: current === 'issues',
        },
        {
          label: texts.repositories,
          to: '/notifications/watching',
          icon: 'repo',
          isCurrent: current === 'repositories',
        },
      ]}
    />
    {children}
  </div>
)

/** The issues and pull requests that the person subscribed to. */
export const SubscribedIssuesView = ({ found }: { readonly found: FoundMine }) => (
  <Frame current="issues">
    <RowBox
      head={<span class="muted">{texts.subscribed(found.total)}</span>}
      rows={found.rows}
      links
      none={
        <Empty icon="inbox" title={texts.noIssues}>
          <p>{texts.noIssuesLead}</p>
        </Empty>
      }
    >
      {({ row, repo: { owner, repo } }) => {
        return (
          <li class="row issue-line">
            <IssueIcon issue={row} class="row-icon" />
            <div class="row-main">
              <Link
                class="row-title"
                to={pathOf(owner.name, repo.name, row.is_pull ? 'pulls' : 'issues', row.index)}
                data-row-link=""
              >
                <TitleText text={row.title} />
              </Link>
              <div class="row-facts">
                <span>
                  {owner.name}/{repo.name}#{row.index}
                </span>
                <span>
                  {texts.updated} <Time unix={row.updated_unix} />
                </span>
              </div>
            </div>
            <ActButton
              to="/notifications/subscriptions/end"
              hidden={{ id: row.id }}
              class="small"
              aria-label={texts.unsubscribeOf(row.title)}
            >
              {texts.unsubscribe}
            </ActButton>
          </li>
        )
      }}
    </RowBox>
    <Pages page={found.page.number} total={found.total} pageSize={found.page.limit} />
  </Frame>
)

/** The repositories that the person watches. */
export const WatchedReposView = ({
  repos,
  levels,
  total,
  shown,
}: {
  readonly repos: readonly OwnedRepo[]
  readonly levels: ReadonlyMap<RepoId, WatchLevel>
  readonly total: number
  readonly shown: Page
}) => (
  <Frame current="repositories">
    <RowBox
      head={<span class="muted">{texts.watched(total)}</span>}
      rows={repos}
      links
      none={
        <Empty icon="repo" title={texts.noRepositories}>
          <p>{texts.noRepositoriesLead}</p>
          <ButtonLink to="/explore/repos">{texts.explore}</ButtonLink>
        </Empty>
      }
    >
      {(owned) => {
        const { repo, owner } = owned
        const name = `${owner.name}/${repo.name}`
        return (
          <li class="row">
            <RepositoryPicture repo={owned.repo} size={16} class="row-icon" />
            <div class="row-main">
              <div class="line">
                <Link class="row-title" to={pathOf(owner.name, repo.name)} data-row-link="">
                  {name}
                </Link>
                <RepositoryTags {...owned} />
              </div>
              {repo.description === '' ? null : <p class="row-text">{repo.description}</p>}
            </div>
            <WatchMenu {...{ repo, owner }} level={levels.get(repo.id) ?? 'participating'} isListed />
          </li>
        )
      }}
    </RowBox>
    <Pages page={shown.number} total={total} pageSize={shown.limit} />
  </Frame>
)
