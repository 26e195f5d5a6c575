import type { UserRow } from '../../db/tables/accounts.ts'
import type { TeamOverview } from '../../orgs/team-overview.service.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { PageHead, Pages, Tag } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { TeamForm } from './team-form.view.tsx'
import { teamTexts as texts } from '../languages/texts.ts'

/** The teams of an organization. */
export const TeamsView = ({
  org,
  isOwner,
  teams,
  total,
  page,
  pageSize,
}: {
  readonly org: UserRow
  readonly isOwner: boolean
  readonly teams: readonly TeamOverview[]
  readonly total: number
  readonly page: number
  readonly pageSize: number
}) => (
  <>
    <PageHead title={texts.title} lead={texts.lead}>
      {isOwner ? (
        <ButtonLink kind="primary" icon="plus" to={orgPath(org, 'teams', 'new')}>
          {texts.newTeam}
        </ButtonLink>
      ) : null}
    </PageHead>
    <RowBox rows={teams} links>
      {(each) => <TeamRowView org={org} {...each} />}
    </RowBox>
    <Pages page={page} total={total} pageSize={pageSize} />
  </>
)

const TeamRowView = ({ org, team, isOn, counts }: TeamOverview & { readonly org: UserRow }) => {
  const to = orgPath(org, 'teams', team.lower_name)
  return (
    <li class="row">
      <Icon name="people" class="row-icon" />
      <div class="row-main">
        <div class="line">
          {counts === undefined ? (
            <span class="row-title">{team.name}</span>
          ) : (
            <Link class="row-title" to={to} data-row-link="">
              {team.name}
            </Link>
          )}
          {team.access_mode >= 3 ? (
            <Tag tone="accent">{team.access_mode === 4 ? texts.owns : texts.administers}</Tag>
          ) : null}
          {isOn ? <Tag>{texts.yours}</Tag> : null}
        </div>
        {team.description === '' ? null : <p class="row-text">{team.description}</p>}
      </div>
      {counts === undefined ? null : (
        <div class="row-side">
          <Link class="plain-link" to={to}>
            {texts.memberCount(counts.members)}
          </Link>
          <Link class="plain-link" to={`${to}/repositories`}>
            {texts.repoCount(counts.repos)}
          </Link>
        </div>
      )}
    </li>
  )
}

/** The page for a new team. */
export const NewTeamView = ({ org }: { readonly org: UserRow }) => (
  <>
    <PageHead title={texts.newTeam} lead={texts.newLead} />
    <TeamForm to={orgPath(org, 'teams', 'new')} cancelTo={orgPath(org, 'teams')} />
  </>
)
