import type { PasskeyRow } from '../../../db/tables/sign-in.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Section } from '../../ui/section.tsx'
import { SubmitRow } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Commands, Flash, Menu, PageHead, Tag } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { PasswordField } from '../confirm-password.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = settingsTexts.security

interface SecurityProps {
  /** Whether sign-in requires a second factor of any kind. */
  readonly isEnrolled: boolean
  readonly hasApp: boolean
  readonly passkeys: readonly PasskeyRow[]
  readonly offersPasskeys: boolean
  /** A new scratch code, which is shown once. */
  readonly scratch: string | undefined
}

export const SecurityView = ({ isEnrolled, hasApp, passkeys, offersPasskeys, scratch }: SecurityProps) => (
  <>
    <PageHead title={settingsTexts.parts.security} />
    {scratch === undefined ? null : (
      <Flash tone="done">
        <p>{texts.scratchOnce}</p>
        <Commands text={scratch} label={texts.scratch} />
      </Flash>
    )}
    <App isOn={hasApp} />
    {offersPasskeys ? (
      <Passkeys passkeys={passkeys} />
    ) : (
      <Section title={settingsTexts.passkeys.heading} id="passkeys" lead={texts.noPasskeys} />
    )}
    {isEnrolled ? <Scratch /> : null}
  </>
)

const Scratch = () => {
  const to = '/user/settings/security/two_factor/regenerate_scratch'
  return (
    <Section title={texts.scratch} id="scratch" lead={texts.scratchHint}>
      <Disclosure title={texts.newScratch} to={to}>
        <Form to={to} class="stack">
          <PasswordField id="scratch_password" />
          <SubmitRow kind="plain">{texts.newScratch}</SubmitRow>
        </Form>
      </Disclosure>
    </Section>
  )
}

const App = ({ isOn }: { readonly isOn: boolean }) => {
  const to = '/user/settings/security/two_factor/disable'
  return (
    <Section
      title={texts.app}
      id="codes"
      lead={
        isOn ? (
          <>
            <Tag tone="good">{texts.on}</Tag> {texts.appOn}
          </>
        ) : (
          texts.appOff
        )
      }
    >
      {isOn ? (
        <Disclosure title={texts.turnOff} to={to}>
          <Form to={to} class="stack">
            <PasswordField id="disable_password" />
            <SubmitRow kind="danger">{texts.turnOff}</SubmitRow>
          </Form>
        </Disclosure>
      ) : (
        <ButtonLink to="/user/settings/security/two_factor/enroll" kind="primary">
          {texts.setUp}
        </ButtonLink>
      )}
    </Section>
  )
}

const Passkeys = ({ passkeys }: Pick<SecurityProps, 'passkeys'>) => {
  const to = '/user/settings/security/passkeys'
  return (
    <Section title={settingsTexts.passkeys.heading} id="passkeys" lead={settingsTexts.passkeys.hint}>
      <div class="stack">
        <RowBox rows={passkeys}>{(passkey) => <Passkey passkey={passkey} />}</RowBox>
        <Disclosure title={settingsTexts.passkeys.add} to={to}>
          <Form to={to} class="stack" data-turbo="false">
            <Field
              id="passkey_name"
              name="name"
              label={settingsTexts.passkeys.newName}
              hint={settingsTexts.passkeys.newNameHint}
              maxlength={100}
              required
            />
            <PasswordField id="add_password" />
            <SubmitRow kind="plain">{settingsTexts.passkeys.add}</SubmitRow>
          </Form>
        </Disclosure>
      </div>
    </Section>
  )
}

const Passkey = ({ passkey }: { readonly passkey: PasskeyRow }) => {
  const { id, name, created_unix, used_unix } = passkey
  const to = '/user/settings/security/passkeys/remove'
  const { refused } = usePage()
  return (
    <li class="row">
      <Icon name="key" />
      <div class="row-main">
        <strong>{name}</strong>
        <p class="row-facts">
          <span>{settingsTexts.added(<Time unix={created_unix} />)}</span>
          <span>{used_unix > 0 ? settingsTexts.lastUsed(<Time unix={used_unix} />) : settingsTexts.neverUsed}</span>
        </p>
      </div>
      <Menu
        label={settingsTexts.remove}
        title={settingsTexts.passkeys.removeOf(name)}
        kind="danger"
        align="end"
        isOpen={refused?.action === to && String(refused.values['id']) === String(id)}
      >
        <Form to={to} class="stack menu-form" hidden={{ id }}>
          <PasswordField id={`remove_password_${id}`} />
          <SubmitRow kind="danger">{settingsTexts.passkeys.removeOf(name)}</SubmitRow>
        </Form>
      </Menu>
    </li>
  )
}
