import type { OpenInvitation } from '../../repos/invitations/invitation.rules.ts'
import { invitationTexts, repositorySettingsTexts, shellTexts } from '../languages/texts.ts'
import { Submit } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Flash } from '../ui/parts.tsx'
import { Person } from '../ui/person.tsx'

const texts = invitationTexts.page

export interface InvitationProps {
  readonly code: string
  /** Undefined for guests, who see no more than that there is an invitation. */
  readonly open: OpenInvitation | undefined
  /** The account has confirmed the invited address, or the invitation has none. */
  readonly isForAddress: boolean
  readonly offersSignUp: boolean
}

export const InvitationView = (props: InvitationProps) => (
  <div class="container">
    <div class="card-page stack">
      <h1>{texts.title}</h1>
      {props.open === undefined ? <ForGuest {...props} /> : <Invitation {...props} open={props.open} />}
    </div>
  </div>
)

const ForGuest = ({ code, offersSignUp }: InvitationProps) => {
  const query = `?redirect_to=${encodeURIComponent(`/user/invitation?code=${code}`)}`
  return (
    <>
      <p>{texts.guest}</p>
      <ButtonLink to={`/user/login${query}`} kind="primary" class="whole">
        {shellTexts.signIn}
      </ButtonLink>
      {offersSignUp ? (
        <>
          <p>{texts.signUp}</p>
          <p>
            <Link to={`/user/sign_up${query}`}>{shellTexts.signUp}</Link>
          </p>
        </>
      ) : (
        <p class="muted">{texts.closed}</p>
      )}
    </>
  )
}

/** Names of the access that an invitation to a repository gives, by its number. */
const permissionNames = ['none', 'read', 'write', 'admin', 'none'] as const

const Invitation = ({ code, open, isForAddress }: InvitationProps & { readonly open: OpenInvitation }) => {
  const { viewer } = usePage()
  const { target, inviter, invitation } = open
  const who = <Person person={inviter} />
  const { permissions } = repositorySettingsTexts.collaboration
  const permission = permissionNames[invitation.access_mode]
  return (
    <>
      <p>
        {target.kind === 'team'
          ? texts.toTeam(who, target.team.name, target.org.name)
          : texts.toRepository(who, `${target.owner.name}/${target.repo.name}`)}
      </p>
      <p>
        {target.kind === 'team' ? (
          target.team.access_mode === 4 ? (
            texts.makesOwner
          ) : (
            texts.givesTeam
          )
        ) : (
          <>
            <strong>{permissions[permission]}</strong>
            {permission === 'none' ? null : <> · {texts.gives[permission]}</>}
          </>
        )}
      </p>
      {isForAddress ? null : <Flash tone="warning">{texts.otherAddress}</Flash>}
      <p>{texts.asAccount(viewer?.user.name ?? '', inviter.name)}</p>
      <Form to="/user/invitation" hidden={{ code }} class="stack" id="answer">
        <Submit name="answer" value="accept" class="whole">
          {texts.accept}
        </Submit>
        <Submit name="answer" value="decline" kind="plain" class="whole">
          {texts.decline}
        </Submit>
      </Form>
    </>
  )
}
