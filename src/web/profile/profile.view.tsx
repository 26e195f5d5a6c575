import type { ActView } from '../../activity/act-view.present.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { Page } from '../../lib/paging.ts'
import type { BrowsedRepos, OwnedRepo, RepoBrowsing } from '../../repos/lists/browse.service.ts'
import type { Standing } from '../../users/social/standing.service.ts'
import { OrganizationFrame, orgPath, VisibilityTag, type OrganizationStanding } from '../frames/organization-frame.tsx'
import { PersonTabs } from '../frames/person-frame.tsx'
import { ActList } from '../lists/act-list.tsx'
import { PersonRow } from '../lists/person-row.tsx'
import { RepositoryList } from '../lists/repository-list.tsx'
import { ActButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link, OutsideLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Box, Empty, Markup, Menu, Pages, Tag } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { Time } from '../ui/time.tsx'
import type { HeatDay } from './heatmap.rules.ts'
import { Heatmap } from './heatmap.view.tsx'
import { Pinned } from './pinned.view.tsx'
import { profileTexts as texts } from '../languages/texts.ts'

export type ProfileTab = 'repositories' | 'activity' | 'stars' | 'followers' | 'following'

/** What the current tab shows. */
export type ProfileContent =
  | {
      readonly tab: 'repositories'
      readonly found: BrowsedRepos
      readonly query: RepoBrowsing
      /** Only the first page without a filter has these. */
      readonly readme?: string | undefined
      readonly pinned?: readonly OwnedRepo[]
      readonly weeks?: readonly (readonly HeatDay[])[] | undefined
    }
  | { readonly tab: 'stars'; readonly found: BrowsedRepos; readonly query: RepoBrowsing }
  | {
      readonly tab: 'activity'
      /** The person shows their activity to nobody else. */
      readonly isHidden: boolean
      readonly acts: readonly ActView[]
      readonly weeks: readonly (readonly HeatDay[])[] | undefined
      readonly page: Page
      readonly isLast: boolean
    }
  | {
      readonly tab: 'followers' | 'following'
      readonly people: readonly UserRow[]
      readonly total: number
      readonly page: Page
    }

export interface ProfileProps {
  readonly subject: UserRow
  readonly content: ProfileContent
  /** Undefined for guests. */
  readonly standing: Standing | undefined
  /** The viewer chooses the pinned repositories. */
  readonly mayPin: boolean
  /** The viewer's standing in an organization. */
  readonly inOrg: OrganizationStanding
  readonly members: readonly UserRow[]
  readonly memberTotal: number
  readonly organizations: readonly UserRow[]
}

export const ProfileView = (props: ProfileProps) =>
  props.subject.kind === 'organization' ? (
    <OrganizationProfile {...props} />
  ) : (
    <div class="container columns side-first profile">
      <Card {...props} />
      <div class="stack">
        <PersonTabs
          person={props.subject}
          current={props.content.tab}
          repositories={props.content.tab === 'repositories' ? props.content.found.total : undefined}
        />
        <Content {...props} />
      </div>
    </div>
  )

const OrganizationProfile = (props: ProfileProps) => {
  const { subject, inOrg, content, members, memberTotal } = props
  return (
    <OrganizationFrame
      org={subject}
      standing={inOrg}
      current={content.tab === 'activity' ? 'activity' : 'repositories'}
      head={<OrganizationHead {...props} />}
    >
      <div class="container columns">
        <div class="stack">
          <Content {...props} />
        </div>
        <aside class="stack">
          <section class="faces">
            <h2>{texts.people}</h2>
            {members.length === 0 ? (
              <p class="muted small">{texts.noPublicMembers}</p>
            ) : (
              <FaceList accounts={members} />
            )}
            {memberTotal > members.length ? (
              <p class="faces-more">
                <Link to={orgPath(subject, 'members')}>{texts.allPeople(memberTotal)}</Link>
              </p>
            ) : null}
          </section>
        </aside>
      </div>
    </OrganizationFrame>
  )
}

/** The form of a new repository with the owner chosen. */
const newRepositoryPath = ({ name }: UserRow): string => withQuery('/repo/create', { owner: name })

const OrganizationHead = ({ subject, standing, inOrg }: ProfileProps) => (
  <div class="org-profile">
    <Avatar person={subject} size={96} />
    <div class="org-about">
      <h1>{subject.full_name === '' ? subject.name : subject.full_name}</h1>
      <p class="line muted">
        {subject.full_name === '' ? null : subject.name}
        <VisibilityTag org={subject} />
      </p>
      {subject.description === '' ? null : <p>{subject.description}</p>}
      <ul class="facts">
        <Facts subject={subject} />
      </ul>
    </div>
    <div class="acts">
      <Acts subject={subject} standing={standing} />
      {inOrg.role?.mayCreateRepos ? (
        <ButtonLink kind="primary" icon="plus" to={newRepositoryPath(subject)}>
          {texts.newRepository}
        </ButtonLink>
      ) : null}
    </div>
  </div>
)

const Fact = ({ icon, children }: { readonly icon: IconName; readonly children: preact.ComponentChildren }) => (
  <li>
    <Icon name={icon} />
    <span>{children}</span>
  </li>
)

const Card = ({ subject, standing, organizations }: ProfileProps) => {
  const { viewer } = usePage()
  return (
    <aside class="profile-card">
      <div class="profile-name">
        <Avatar person={subject} size={96} />
        <div>
          <h1>{subject.full_name === '' ? subject.name : subject.full_name}</h1>
          {subject.full_name === '' ? null : <p class="muted">{subject.name}</p>}
          {subject.visibility === 'public' ? null : (
            <p class="line">
              <Tag icon="lock">{subject.visibility === 'private' ? texts.private : texts.limited}</Tag>
            </p>
          )}
        </div>
      </div>
      {subject.description === '' ? null : <p class="profile-text">{subject.description}</p>}
      <Acts subject={subject} standing={standing} />
      <ul class="profile-facts">
        <Fact icon="people">
          <Link class="plain-link" to={`${pathOf(subject.name)}?tab=followers`}>
            {texts.followerCount(subject.num_followers)}
          </Link>
          {' · '}
          <Link class="plain-link" to={`${pathOf(subject.name)}?tab=following`}>
            {texts.followingCount(subject.num_following)}
          </Link>
        </Fact>
        {subject.pronouns === '' || (subject.hide_pronouns && !viewer) ? null : (
          <Fact icon="person">{subject.pronouns}</Fact>
        )}
        <Facts subject={subject} />
      </ul>
      {organizations.length === 0 ? null : (
        <section class="faces">
          <h2>{texts.organizations}</h2>
          <FaceList accounts={organizations} />
        </section>
      )}
    </aside>
  )
}

/** What people and organizations say of themselves. */
const Facts = ({ subject }: Pick<ProfileProps, 'subject'>) => {
  const { viewer } = usePage()
  const showsAddress =
    subject.email !== '' && (subject.kind === 'organization' || (viewer !== undefined && !subject.keep_email_private))
  return (
    <>
      {subject.location === '' ? null : <Fact icon="globe">{subject.location}</Fact>}
      {subject.website === '' ? null : (
        <Fact icon="link">
          <OutsideLink href={subject.website}>{subject.website.replace(/^https?:\/\//, '')}</OutsideLink>
        </Fact>
      )}
      {showsAddress ? (
        <Fact icon="mail">
          <a href={`mailto:${subject.email}`}>{subject.email}</a>
        </Fact>
      ) : null}
      <Fact icon="calendar">
        {subject.kind === 'organization' ? texts.created : texts.joined}
        <Time unix={subject.created_unix} />
      </Fact>
    </>
  )
}

function Acts({ subject, standing }: Pick<ProfileProps, 'subject' | 'standing'>) {
  const { viewer } = usePage()
  const isOrg = subject.kind === 'organization'
  const at = (change: string) => `${pathOf(subject.name)}/-/standing/${change}`
  if (standing?.isSelf) return <ButtonLink to="/user/settings">{texts.editProfile}</ButtonLink>
  if (!viewer) {
    return (
      <div class="acts">
        <ButtonLink to={withQuery('/user/login', { redirect_to: pathOf(subject.name) })}>{texts.follow}</ButtonLink>
      </div>
    )
  }
  if (standing?.isBlocked) {
    return (
      <div class="acts">
        <Tag tone="danger" icon="no-entry">
          {texts.isBlocked}
        </Tag>
        <ActButton to={at('unblock')} class="small">
          {texts.unblock}
        </ActButton>
      </div>
    )
  }
  return (
    <div class="acts">
      <ActButton to={at(standing?.isFollowed ? 'unfollow' : 'follow')}>
        {standing?.isFollowed ? texts.unfollow : texts.follow}
      </ActButton>
      {standing && !isOrg ? (
        <Menu label={<Icon name="kebab-horizontal" />} title={texts.more} kind="quiet" class="icon-only">
          <ul>
            <li>
              <ActButton to={at('block')} icon="no-entry" formClass="" confirm={texts.confirmBlock(subject.name)}>
                {texts.block}
              </ActButton>
            </li>
          </ul>
        </Menu>
      ) : null}
    </div>
  )
}

const FaceList = ({ accounts }: { readonly accounts: readonly UserRow[] }) => (
  <ul class="line">
    {accounts.map((account) => (
      <li>
        <Link to={pathOf(account.name)} title={account.name} aria-label={account.name}>
          <Avatar person={account} size={32} />
        </Link>
      </li>
    ))}
  </ul>
)

function Content({ subject, content, standing, inOrg, mayPin }: ProfileProps) {
  const { config } = usePage()
  const to = pathOf(subject.name)
  switch (content.tab) {
    case 'repositories':
      return (
        <>
          {content.readme === undefined ? null : (
            <Box>
              <div class="box-body">
                <Markup html={content.readme} />
              </div>
            </Box>
          )}
          {content.pinned === undefined ? null : <Pinned subject={subject} pinned={content.pinned} mayPin={mayPin} />}
          {content.weeks ? <Heatmap weeks={content.weeks} /> : null}
          <RepositoryList
            found={content.found}
            browsing={content.query}
            to={to}
            withOwner={false}
            withPrivate={standing?.isSelf === true || inOrg.role?.isMember === true}
            defaultSort={config.ui.explorePagingDefaultSort}
            empty={
              <Empty
                icon="repo"
                title={standing?.isSelf ? texts.noOwnRepositories : texts.noRepositories(subject.name)}
              >
                <p>{texts.noRepositoriesHint}</p>
                {standing?.isSelf ? (
                  <ButtonLink kind="primary" icon="plus" to="/repo/create">
                    {texts.newRepository}
                  </ButtonLink>
                ) : null}
              </Empty>
            }
          />
        </>
      )
    case 'stars':
      return (
        <RepositoryList
          found={content.found}
          browsing={content.query}
          to={to}
          tab="stars"
          defaultSort={config.ui.explorePagingDefaultSort}
          empty={
            <Empty icon="star" title={texts.noStars}>
              <p>{texts.noStarsHint}</p>
            </Empty>
          }
        />
      )
    case 'activity':
      return content.isHidden ? (
        <Empty icon="eye-closed" title={texts.hidden(subject.name)}>
          <p>{texts.hiddenHint}</p>
        </Empty>
      ) : (
        <div>
          {subject.hide_activity && standing?.isSelf ? (
            <p class="muted small activity-note">{texts.hiddenOwn}</p>
          ) : null}
          {content.weeks ? <Heatmap weeks={content.weeks} /> : null}
          <ActList acts={content.acts} />
          <Pages page={content.page.number} isLast={content.isLast} />
        </div>
      )
    case 'followers':
    case 'following':
      return content.people.length === 0 ? (
        <Empty icon="people" title={texts.nobody}>
          <p>{texts.nobodyHint}</p>
        </Empty>
      ) : (
        <div>
          <RowBox rows={content.people} links>
            {(person) => <PersonRow person={person} />}
          </RowBox>
          <Pages page={content.page.number} total={content.total} pageSize={content.page.limit} />
        </div>
      )
  }
}
