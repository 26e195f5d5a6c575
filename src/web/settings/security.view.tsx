import type { PasskeyRow } from '../../db/tables/accounts.ts'
import { Submit } from '../ui/button.tsx'
import { Field, Radios } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Box, Flash, PageHead } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { PasswordField } from './confirm-password.tsx'
import { Section } from '../frames/section.tsx'
import { texts as all } from './texts.tsx'

const texts = all.security

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
    <PageHead title={all.parts.security} />
    {scratch === undefined ? null : <Flash tone="done">{texts.scratchOnce(scratch)}</Flash>}
    <App isOn={hasApp} />
    {offersPasskeys ? (
      <Passkeys passkeys={passkeys} />
    ) : (
      <Section title={all.passkeys.heading} id="passkeys" lead={texts.noPasskeys} />
    )}
    {isEnrolled ? (
      <Section title={texts.scratch} id="scratch" lead={texts.scratchHint}>
        <Form to="/user/settings/security/two_factor/regenerate_scratch" class="stack">
          <PasswordField id="scratch_password" />
          <div class="form-acts">
            <Submit kind="plain">{texts.newScratch}</Submit>
          </div>
        </Form>
      </Section>
    ) : null}
  </>
)

const App = ({ isOn }: { readonly isOn: boolean }) => (
  <Section title={texts.app} id="codes" lead={isOn ? texts.appOn : texts.appOff}>
    {isOn ? (
      <Form to="/user/settings/security/two_factor/disable" class="stack">
        <PasswordField id="disable_password" />
        <div class="form-acts">
          <Submit kind="danger">{texts.turnOff}</Submit>
        </div>
      </Form>
    ) : (
      <ButtonLink to="/user/settings/security/two_factor/enroll" kind="primary">
        {texts.setUp}
      </ButtonLink>
    )}
  </Section>
)

const Passkeys = ({ passkeys }: Pick<SecurityProps, 'passkeys'>) => (
  <>
    <Section title={all.passkeys.heading} id="passkeys" lead={all.passkeys.hint}>
      <div class="stack">
        {passkeys.length === 0 ? null : (
          <Box>
            <ul class="rows">
              {passkeys.map((passkey) => (
                <li class="row">
                  <div class="row-main">
                    <strong>{passkey.name}</strong>
                    <p class="row-facts">
                      <span>{all.added(<Time unix={passkey.created_unix} />)}</span>
                      {passkey.used_unix > 0 ? <span>{all.lastUsed(<Time unix={passkey.used_unix} />)}</span> : null}
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          </Box>
        )}
        <Form to="/user/settings/security/passkeys" class="stack" data-turbo="false">
          <Field
            id="passkey_name"
            name="name"
            label={all.passkeys.newName}
            hint={all.passkeys.newNameHint}
            maxlength={100}
            required
          />
          <PasswordField id="add_password" />
          <div class="form-acts">
            <Submit kind="plain">{all.passkeys.add}</Submit>
          </div>
        </Form>
      </div>
    </Section>
    {passkeys.length === 0 ? null : (
      <Section title={all.passkeys.removeHeading} id="remove">
        <Form to="/user/settings/security/passkeys/remove" class="stack">
          <Radios
            name="id"
            label={all.passkeys.toRemove}
            value={String(passkeys[0]?.id)}
            choices={passkeys.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <PasswordField id="remove_password" />
          <div class="form-acts">
            <Submit kind="danger">{all.remove}</Submit>
          </div>
        </Form>
      </Section>
    )}
  </>
)
