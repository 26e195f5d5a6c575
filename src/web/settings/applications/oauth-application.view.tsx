import type { OAuthApplicationRow } from '../../../db/tables/oauth.ts'
import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { box, formOf, line, lines, readBy } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { CopyField, Flash, PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Section } from '../../ui/section.tsx'
import { settingsPath } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.applications

interface ApplicationProps {
  readonly application: OAuthApplicationRow
  readonly redirectUris: readonly string[]
  /** A new secret, which is shown once. */
  readonly secret: string | undefined
}

export const NewApplicationView = () => (
  <>
    <PageHead title={texts.newApplication} />
    <ApplicationForm to="/user/settings/applications/oauth2" submit={texts.createApplication} />
  </>
)

export const ApplicationView = ({ application, redirectUris, secret }: ApplicationProps) => {
  const path = pathOf('user', 'settings', 'applications', 'oauth2', application.id)
  return (
    <>
      <PageHead title={application.name}>
        <ButtonLink to={settingsPath('applications')}>{texts.back}</ButtonLink>
      </PageHead>
      {secret === undefined ? null : (
        <Flash tone="done">
          <p>{texts.secretOnce}</p>
          <CopyField text={secret} label={texts.secret} id="new_secret" />
        </Flash>
      )}
      <Section title={texts.credentials} id="credentials">
        <div class="stack">
          <div class="field">
            <label for="client_id">{texts.clientId}</label>
            <CopyField text={application.client_id} label={texts.clientId} id="client_id" />
          </div>
          <ActButton to={`${path}/regenerate_secret`} icon="sync" confirm={texts.regenerateQuestion}>
            {texts.regenerate}
          </ActButton>
        </div>
      </Section>
      <Section title={settingsTexts.settings} id="application">
        <ApplicationForm to={path} submit={settingsTexts.save} known={{ application, redirectUris }} />
      </Section>
      <Section title={texts.deleteApplication} id="delete" lead={texts.deleteApplicationLead}>
        <ActButton to={`${path}/delete`} kind="danger" confirm={texts.deleteApplicationQuestion(application.name)}>
          {texts.deleteApplication}
        </ActButton>
      </Section>
    </>
  )
}

/** An OAuth2 application as its owner states it. */
export const applicationForm = formOf({
  name: line(() => ({ label: texts.applicationName, required: true, isProse: true }), {
    limit: 255,
    refusals: ['application_name'],
  }),
  redirect_uris: readBy(
    (uris) => uris.flatMap((each) => each.split(/\s+/)),
    lines(() => ({ label: texts.redirectUris, hint: texts.redirectHint, rows: 3, required: true, isCode: true }), {
      as: 'redirectUris',
      refusals: ['redirect', 'oauth_redirect'],
    }),
  ),
  confidential_client: box(() => ({ label: texts.confidential, hint: texts.confidentialHint, checked: true }), {
    as: 'isConfidential',
  }),
})

const ApplicationForm = ({
  to,
  submit,
  known,
}: {
  readonly to: string
  readonly submit: string
  readonly known?: Pick<ApplicationProps, 'application' | 'redirectUris'>
}) => (
  <Form isEdit to={to} class="stack">
    {Object.values(
      applicationForm.show(
        known && {
          name: known.application.name,
          redirect_uris: known.redirectUris,
          confidential_client: known.application.is_confidential,
        },
      ),
    )}
    <SubmitRow>{submit}</SubmitRow>
  </Form>
)
