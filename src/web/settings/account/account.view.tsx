import type { UserRow } from '../../../db/tables/accounts.ts'
import type { OwnEmail } from '../../../users/email.service.ts'
import { CurrentPasswordField, KnownUser, NewPasswordField } from '../../shell/password-field.tsx'
import { shellTexts as shell } from '../../languages/texts.ts'
import { ActButton, RemoveButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, Radios } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead, Tag } from '../../ui/parts.tsx'
import { PasswordField } from '../confirm-password.tsx'
import { DeleteAccount, type Possessions } from './delete-account.view.tsx'
import { Section } from '../../ui/section.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = settingsTexts.account

export interface AccountProps {
  readonly user: UserRow
  readonly addresses: readonly OwnEmail[]
  /** Whether a mail lets the person set a password. */
  readonly maySetByMail: boolean
  /** What keeps the account from being deleted. */
  readonly possessions: Possessions
  /** Whether people delete their own accounts here. */
  readonly mayDelete: boolean
}

export const AccountView = ({ user, addresses, maySetByMail, possessions, mayDelete }: AccountProps) => (
  <>
    <PageHead title={settingsTexts.parts.account} />
    <Password user={user} maySetByMail={maySetByMail} />
    <Section title={texts.addresses} id="addresses_title" lead={texts.primaryHint}>
      <div class="stack">
        <RowBox rows={addresses}>{(address) => <Address address={address} />}</RowBox>
        <Form isEdit to="/user/settings/account/email/visibility" class="stack">
          <Checkbox
            name="hide_email"
            label={texts.hideAddress}
            hint={texts.hideAddressHint}
            checked={user.keep_email_private}
          />
          <SubmitRow kind="plain">{settingsTexts.save}</SubmitRow>
        </Form>
      </div>
    </Section>
    <Section title={texts.another} id="add_title">
      <Form to="/user/settings/account/email" class="stack">
        <Field name="email" label={shell.emailAddress} type="email" autocomplete="email" maxlength={254} required />
        <PasswordField id="add_password" />
        <SubmitRow kind="plain">{texts.add}</SubmitRow>
      </Form>
    </Section>
    <Primary addresses={addresses} />
    <DeleteAccount user={user} possessions={possessions} mayDelete={mayDelete} />
  </>
)

const Password = ({ user, maySetByMail }: Pick<AccountProps, 'user' | 'maySetByMail'>) => (
  <Section title={shell.password.password} id="password_title">
    {user.password_hash === null ? (
      <p>
        {texts.noPassword} {maySetByMail ? <Link to="/user/forgot_password">{texts.setByMail}</Link> : null}
      </p>
    ) : (
      <Form to="/user/settings/account" class="stack">
        <KnownUser name={user.name} />
        <CurrentPasswordField name="old_password" label={texts.currentPassword} />
        <NewPasswordField />
        <SubmitRow>{texts.change}</SubmitRow>
      </Form>
    )}
  </Section>
)

const Address = ({ address }: { readonly address: OwnEmail }) => {
  const { email, is_primary: isPrimary, is_activated: isConfirmed } = address
  return (
    <li class="row">
      <div class="row-main line">
        <span>{email}</span>
        {isPrimary ? <Tag tone="good">{texts.primary}</Tag> : null}
        {isConfirmed ? null : <Tag tone="warning">{texts.unconfirmed}</Tag>}
      </div>
      <div class="acts">
        {isConfirmed ? null : (
          <ActButton
            to="/user/settings/account/email/again"
            hidden={{ email }}
            class="small"
            aria-label={texts.sendAgainTo(email)}
          >
            {texts.sendAgain}
          </ActButton>
        )}
        {isPrimary ? null : (
          <RemoveButton
            to="/user/settings/account/email/delete"
            hidden={{ email }}

            label={texts.removeAddress(email)}
          >
            {settingsTexts.remove}
          </RemoveButton>
        )}
      </div>
    </li>
  )
}

const Primary = ({ addresses }: Pick<AccountProps, 'addresses'>) => {
  const others = addresses.filter((each) => each.is_activated && !each.is_primary)
  if (others.length === 0) return null
  return (
    <Section title={texts.primaryAddress} id="primary_title">
      <Form to="/user/settings/account/email/primary" class="stack">
        <Radios
          name="email"
          label={texts.newPrimary}
          value={others[0]?.email}
          choices={others.map(({ email }) => ({ value: email, label: email }))}
        />
        <PasswordField id="primary_password" />
        <SubmitRow kind="plain">{texts.makePrimary}</SubmitRow>
      </Form>
    </Section>
  )
}
