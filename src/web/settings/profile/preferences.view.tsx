import type { UserRow } from '../../../db/tables/accounts.ts'
import { SubmitRow } from '../../ui/button.tsx'
import { Radios, type Choice } from '../../ui/field.tsx'
import { box, formOf, radios, select } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Flash, PageHead } from '../../ui/parts.tsx'
import { settingsPath } from '../settings-frame.tsx'
import { languageChoices } from '../../languages/languages.ts'
import { settingsTexts } from '../../languages/texts.ts'

const choicesOf = (texts: Readonly<Record<string, readonly [string, string]>>): readonly Choice[] =>
  Object.entries(texts).map(([value, [label, hint]]) => ({ value, label, hint }))

const appearance = settingsTexts.appearance

/** How pages look for the person. */
export const appearanceForm = formOf({
  theme: radios(() => ({ label: appearance.theme, choices: choicesOf(appearance.themeNames) })),
  diff_view_style: radios(() => ({ label: appearance.diffStyle, choices: choicesOf(appearance.diffStyles) })),
  language: select(() => ({
    label: appearance.language,
    hint: appearance.languageHint,
    choices: [{ value: '', label: appearance.browserLanguage }, ...languageChoices(usePage().config.i18n)],
  })),
  enable_repo_unit_hints: box(() => ({ label: appearance.unitHints, hint: appearance.unitHintsHint })),
})

export const AppearanceView = ({ user }: { readonly user: UserRow }) => {
  const fields = appearanceForm.show({
    ...user,
    theme: user.theme === 'light' || user.theme === 'dark' ? user.theme : 'auto',
    diff_view_style: user.diff_view_style === 'split' ? 'split' : 'unified',
  })
  return (
    <>
      <PageHead title={settingsTexts.parts.appearance} />
      <Form isEdit to={settingsPath('appearance')} class="stack loose">
        {fields.theme}
        {fields.diff_view_style}
        {fields.language}
        {fields.enable_repo_unit_hints}
        <SubmitRow>{settingsTexts.save}</SubmitRow>
      </Form>
    </>
  )
}

export const NotificationSettingsView = ({
  user,
  sendsMail,
}: {
  readonly user: UserRow
  readonly sendsMail: boolean
}) => {
  const texts = settingsTexts.notifications
  return (
    <>
      <PageHead title={settingsTexts.parts.notifications} lead={texts.lead}></PageHead>
      {sendsMail ? null : <Flash tone="info">{texts.noMail}</Flash>}
      <Form isEdit to={settingsPath('notifications')} class="stack">
        <Radios
          name="email_notifications"
          label={texts.mails}
          value={user.email_notifications}
          choices={choicesOf(texts.mailChoices)}
        />
        <SubmitRow>{settingsTexts.save}</SubmitRow>
      </Form>
    </>
  )
}
