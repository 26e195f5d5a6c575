import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'
import type { MemberRole } from '../../orgs/member.service.ts'
import type { OrgMembership } from '../../orgs/membership.service.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { ActButton, DeleteButton, Submit } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { pathOf } from '../ui/paths.ts'
import { PersonField } from '../ui/person-field.tsx'
import { Avatar } from '../ui/person.tsx'
import { InvitationSection, invitationHint, type Invitations } from '../shared/invitations/invitations.view.tsx'
import { invitationTexts, memberTexts as texts } from '../languages/texts.ts'

interface MembersProps {
  readonly org: UserRow
  /** The viewer's role; undefined for guests. */
  readonly role: OrgMembership | undefined
  /** Undefined for people outside of the organization. */
  readonly roles: ReadonlyMap<UserId, MemberRole> | undefined
  /** The viewer's membership, if any. */
  readonly own: MemberRole | undefined
  readonly people: readonly UserRow[]
  /** Teams that a new member may join; for owners. */
  readonly teams: readonly TeamRow[]
  /** For owners. */
  readonly invitations: Invitations | undefined
  readonly total: number
  readonly page: number
  readonly pageSize: number
}

export const MembersView = (props: MembersProps) => {
  const { org, role, people, teams, invitations, total, page, pageSize } = props
  const to = orgPath(org, 'members', 'add')
  return (
    <>
      <PageHead title={texts.title} lead={role?.isMember ? texts.lead : texts.publicLead}>
        <OwnMembership {...props} />
      </PageHead>
      <RowBox
        {...(teams.length === 0
          ? {}
          : {
              head: (
                <Form to={to} class="add-line" label={texts.add}>
                  <PersonField
                    name="username"
                    id="new_member"
                    label={invitationTexts.nameOrAddress}
                    placeholder={invitationTexts.nameOrAddress}
                    hint={invitations && invitationHint(invitations)}
                    isLabelHidden
                    required
                  />
                  <Select
                    name="team"
                    label={texts.team}
                    isLabelHidden
                    value={String(teams.find((team) => team.access_mode !== 4)?.id ?? teams[0]?.id ?? '')}
                    choices={teams.map((team) => ({ value: String(team.id), label: team.name }))}
                  />
                  <Submit icon="plus">{texts.add}</Submit>
                </Form>
              ),
            })}
        rows={people}
        links
        empty={
          <Empty icon="people" title={texts.none}>
            <p>{texts.noneHint}</p>
          </Empty>
        }
      >
        {(person) => <Member {...props} person={person} />}
      </RowBox>
      <Pages page={page} total={total} pageSize={pageSize} />
      {invitations === undefined ? null : (
        <InvitationSection invitations={invitations} revokeTo={orgPath(org, 'invitations', 'revoke')} />
      )}
    </>
  )
}

const Member = ({ org, role, roles, person }: MembersProps & { readonly person: UserRow }) => {
  const { viewer } = usePage()
  const own = roles?.get(person.id)
  const isSelf = viewer?.id === person.id
  return (
    <li class="row member-row">
      <Avatar person={person} size={40} />
      <div class="row-main">
        <div class="line">
          <Link class="row-title" to={pathOf(person.name)} data-row-link="">
            {person.full_name === '' ? person.name : person.full_name}
          </Link>
          {person.full_name === '' ? null : <span class="muted">{person.name}</span>}
          {own?.isOwner ? <Tag tone="accent">{texts.owner}</Tag> : null}
          {isSelf ? <Tag>{texts.you}</Tag> : null}
        </div>
        {own === undefined ? (
          person.description === '' ? null : (
            <p class="row-text">{person.description}</p>
          )
        ) : (
          <p class="row-facts">
            <span title={own.isPublic ? texts.publicHint : texts.hiddenHint}>
              <Icon name={own.isPublic ? 'eye' : 'eye-closed'} />
              {own.isPublic ? texts.isPublic : texts.isHidden}
            </span>
            {own.teams.map((team) =>
              role?.isOwner || isSelf ? (
                <Link to={orgPath(org, 'teams', team.lower_name)}>{team.name}</Link>
              ) : (
                <span>{team.name}</span>
              ),
            )}
          </p>
        )}
      </div>
      {own !== undefined && role?.isOwner && !isSelf ? (
        <div class="row-side">
          <DeleteButton
            to={orgPath(org, 'members', person.name, 'remove')}

            confirm={texts.confirmRemove(person.name)}
            label={texts.removeOf(person.name)}
          >
            {texts.remove}
          </DeleteButton>
        </div>
      ) : null}
    </li>
  )
}

/** What members do with their own membership. */
const OwnMembership = ({ org, own }: MembersProps) => {
  const { viewer } = usePage()
  return own === undefined || !viewer ? null : (
    <>
      <ActButton
        to={orgPath(org, 'members', viewer.user.name, 'visibility')}
        hidden={{ is_public: !own.isPublic }}
        icon={own.isPublic ? 'eye-closed' : 'eye'}
      >
        {own.isPublic ? texts.hide : texts.show}
      </ActButton>
      <ActButton to={orgPath(org, 'members', 'leave')} kind="danger" confirm={texts.confirmLeave(org.name)}>
        {texts.leave}
      </ActButton>
    </>
  )
}
