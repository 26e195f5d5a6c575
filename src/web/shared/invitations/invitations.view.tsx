import type { ListedInvitation, ListedInvitations } from '../../../repos/invitations/invitation.rules.ts'
import { validSeconds } from '../../../repos/invitations/invitation.rules.ts'
import { invitationTexts as texts, repositorySettingsTexts } from '../../languages/texts.ts'
import { RemoveButton, Submit } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { choicesOf } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { CopyField, Flash, Tag } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

export interface Invitations extends ListedInvitations {
  readonly isMailOn: boolean
}

interface SectionProps {
  readonly invitations: Invitations
  /** The link of a new invitation, which is shown once. */
  readonly newLink?: string | undefined
  /** Path of the form that revokes. */
  readonly revokeTo: string
  /** Path of the form that makes a link; undefined where the page offers none. */
  readonly linkTo?: string | undefined
  /** The form of a link asks for the access of a collaborator. */
  readonly asksPermission?: boolean
}

/** What the field of a new person takes besides names. */
export const invitationHint = ({ isMailOn }: Pick<Invitations, 'isMailOn'>): string =>
  isMailOn ? texts.withMail : texts.withoutMail

/** The invitations of a place, and the form that makes a link. */
export const InvitationSection = ({ invitations, newLink, revokeTo, linkTo, asksPermission = false }: SectionProps) => {
  const { pending, answered } = invitations
  return (
    <Section title={texts.title} id="invitations" lead={texts.lead(validSeconds / 86_400)}>
      <div class="stack">
        {newLink === undefined ? null : (
          <Flash tone="done">
            <p>{texts.linkOnce}</p>
            <CopyField text={newLink} label={texts.newLink} id="new_link" />
          </Flash>
        )}
        <RowBox rows={pending} none={texts.none} label={texts.title}>
          {(each) => <Pending {...each} revokeTo={revokeTo} />}
        </RowBox>
        {linkTo === undefined ? null : (
          <Form to={linkTo} class="fields-row" id="make_link">
            {asksPermission ? (
              <Select
                name="link_permission"
                label={texts.permission}
                value="write"
                choices={choicesOf(repositorySettingsTexts.collaboration.permissions)}
              />
            ) : null}
            <Submit kind="plain" icon="link">
              {texts.makeLink}
            </Submit>
          </Form>
        )}
        {answered.length === 0 ? null : (
          <>
            <h3>{texts.answered}</h3>
            <RowBox rows={answered} label={texts.answered}>
              {(each) => <Answered {...each} />}
            </RowBox>
          </>
        )}
      </div>
    </Section>
  )
}

/** Names of the access that an invitation to a repository gives, by its number. */
const permissionNames = ['none', 'read', 'write', 'admin', 'none'] as const

/** What an invitation gives: the access to the repository, or the team. */
const Given = ({ invitation, team }: ListedInvitation) => {
  const name = permissionNames[invitation.access_mode]
  return <Tag>{team === undefined ? (repositorySettingsTexts.collaboration.permissions[name] ?? name) : team.name}</Tag>
}

const Pending = (each: ListedInvitation & { readonly revokeTo: string }) => {
  const { invitation, inviter, revokeTo } = each
  const whom = invitation.email === '' ? texts.link : invitation.email
  return (
    <li class="row">
      <Icon name={invitation.email === '' ? 'link' : 'mail'} class="muted" />
      <div class="row-main">
        <div class="line">
          <span class="row-title">{whom}</span>
          <Given {...each} />
        </div>
        <p class="row-facts">
          <span>{texts.invitedBy(inviter?.name ?? texts.somebody)}</span>
          <span>{texts.ends(<Time unix={invitation.expires_unix} />)}</span>
        </p>
      </div>
      <RemoveButton
        to={revokeTo}
        hidden={{ invitation: invitation.id }}
        label={texts.revokeOf(whom)}
        confirm={texts.confirmRevoke}
      >
        {texts.revoke}
      </RemoveButton>
    </li>
  )
}

const Answered = (each: ListedInvitation) => {
  const { invitation, inviter, acceptedBy } = each
  const { viewer } = usePage()
  // Which address an account reads is for the person who wrote to it.
  const way =
    invitation.email === ''
      ? texts.byLink
      : viewer?.id === invitation.inviter_id
        ? texts.sentTo(invitation.email)
        : texts.byMail
  return (
    <li class="row">
      {acceptedBy === undefined ? <Icon name="person" class="muted" /> : <Avatar person={acceptedBy} size={32} />}
      <div class="row-main">
        <div class="line">
          <span class="row-title">
            {invitation.outcome === 'declined' ? (
              texts.declined
            ) : acceptedBy === undefined ? (
              texts.accepted(texts.somebody)
            ) : (
              <Link to={pathOf(acceptedBy.name)}>{texts.accepted(acceptedBy.name)}</Link>
            )}
          </span>
          <Given {...each} />
        </div>
        <p class="row-facts">
          <span>{texts.invitedBy(inviter?.name ?? texts.somebody)}</span>
          <span>{way}</span>
          {invitation.ended_unix === null ? null : <Time unix={invitation.ended_unix} />}
        </p>
      </div>
    </li>
  )
}
