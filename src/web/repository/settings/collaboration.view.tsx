import type { TeamRow, UserRow } from '../../../db/tables/accounts.ts'
import type { Page } from '../../../lib/paging.ts'
import { RemoveButton, Submit } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { choicesOf } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Pages, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { Section } from '../../ui/section.tsx'
import { InvitationSection, invitationHint, type Invitations } from '../../shared/invitations/invitations.view.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { uiTexts as common } from '../../languages/texts.ts'
import { invitationTexts, repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.collaboration

interface Collaborator {
  readonly user: UserRow
  readonly permission: string
}

interface Teams {
  /** `isFixed`: the team has all repositories of the organization. */
  readonly present: readonly { readonly team: TeamRow; readonly permission: string; readonly isFixed: boolean }[]
  /** Names of teams without the repository. */
  readonly offered: readonly string[]
  readonly mayChange: boolean
}

interface CollaborationProps {
  readonly repository: SettingsRepository
  readonly collaborators: readonly Collaborator[]
  readonly total: number
  readonly page: Page
  /** Undefined for a repository of a person. */
  readonly teams: Teams | undefined
  readonly invitations: Invitations
  /** The link of a new invitation, which is shown once. */
  readonly newLink: string | undefined
}

const permissionChoices = () => choicesOf(texts.permissions)

/** The people and teams with access to a repository. */
export const CollaborationView = ({
  repository,
  collaborators,
  total,
  page,
  teams,
  invitations,
  newLink,
}: CollaborationProps) => {
  const at = settingsPath(repository, 'collaboration')
  return (
    <SettingsFrame repository={repository} part="collaboration" lead={texts.lead(repository.owner.name)}>
      <Section title={texts.people} id="people">
        <div class="stack">
          <RowBox rows={collaborators} none={texts.nobody}>
            {(each) => <CollaboratorRow at={at} {...each} />}
          </RowBox>
          <Pages page={page.number} total={total} pageSize={page.limit} />
          <Form to={at} class="fields-row" id="add_collaborator">
            <Field
              name="collaborator"
              label={invitationTexts.nameOrAddress}
              hint={invitationHint(invitations)}
              required
              autocomplete="off"
              maxlength={255}
            />
            <Select name="permission" label={texts.permission} value="write" choices={permissionChoices()} />
            <Submit>{texts.add}</Submit>
          </Form>
          <dl class="permission-list">
            {Object.entries(texts.permissionHints).map(([name, hint]) => (
              <div>
                <dt>{texts.permissions[name]}</dt>
                <dd>{hint}</dd>
              </div>
            ))}
          </dl>
        </div>
      </Section>
      <InvitationSection
        invitations={invitations}
        newLink={newLink}
        revokeTo={settingsPath(repository, 'collaboration', 'invitations', 'revoke')}
        linkTo={settingsPath(repository, 'collaboration', 'invitations')}
        asksPermission
      />
      {teams === undefined ? null : <TeamSection repository={repository} {...teams} />}
    </SettingsFrame>
  )
}

const CollaboratorRow = ({ user, permission, at }: Collaborator & { readonly at: string }) => (
  <li class="row">
    <Avatar person={user} size={32} />
    <div class="row-main">
      <Link class="row-title" to={pathOf(user.name)}>
        {user.name}
      </Link>
      {user.full_name === '' ? null : <p class="row-facts">{user.full_name}</p>}
    </div>
    <div class="acts">
      <Form to={at} hidden={{ collaborator: user.name }} class="inline">
        <Select
          name="permission"
          id={`permission_${user.id}`}
          label={texts.permissionOf(user.name)}
          isLabelHidden
          value={permission}
          choices={permissionChoices()}
          data-autosubmit=""
        />
        <noscript>
          <Submit kind="plain">{texts.change}</Submit>
        </noscript>
      </Form>
      <RemoveButton
        to={`${at}/delete`}
        hidden={{ collaborator: user.name }}

        label={texts.remove(user.name)}
        confirm={texts.removeConfirm(user.name)}
      >
        {common.remove}
      </RemoveButton>
    </div>
  </li>
)

const TeamSection = ({
  repository,
  present,
  offered,
  mayChange,
}: Teams & { readonly repository: SettingsRepository }) => {
  const at = settingsPath(repository, 'collaboration', 'teams')
  return (
    <Section title={texts.teams} id="teams">
      <div class="stack">
        <RowBox rows={present} none={texts.noTeams}>
          {({ team, permission, isFixed }) => (
            <li class="row">
              <Icon name="people" class="muted" />
              <div class="row-main">
                <Link class="row-title" to={pathOf('org', repository.owner.name, 'teams', team.lower_name)}>
                  {team.name}
                </Link>
                {team.description === '' ? null : <p class="row-facts">{team.description}</p>}
              </div>
              <Tag>{texts.teamPermissions[permission] ?? permission}</Tag>
              {isFixed || !mayChange ? (
                <span class="muted">{isFixed ? texts.allRepositories : ''}</span>
              ) : (
                <RemoveButton
                  to={`${at}/delete`}
                  hidden={{ team: team.name }}

                  label={texts.remove(team.name)}
                  confirm={texts.removeTeamConfirm(team.name)}
                >
                  {common.remove}
                </RemoveButton>
              )}
            </li>
          )}
        </RowBox>
        {mayChange ? (
          <Form to={at} class="fields-row">
            <Field name="team" label={texts.team} list="team-names" required autocomplete="off" />
            <datalist id="team-names">
              {offered.map((name) => (
                <option value={name} />
              ))}
            </datalist>
            <Submit kind="plain">{texts.addTeam}</Submit>
          </Form>
        ) : (
          <p class="hint">{texts.teamsFixed}</p>
        )}
      </div>
    </Section>
  )
}
