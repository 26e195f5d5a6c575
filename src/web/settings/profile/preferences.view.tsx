import type { UserRow } from '../../../db/tables/accounts.ts'
import { Submit } from '../../ui/button.tsx'
import { Checkbox, Radios, Select, type Choice } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Flash, PageHead } from '../../ui/parts.tsx'
import { settingsPath } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const choicesOf = (texts: Readonly<Record<string, readonly [string, string]>>): readonly Choice[] =>
  Object.entries(texts).map(([value, [label, hint]]) => ({ value, label, hint }))

export const AppearanceView = ({
  user,
  languages,
}: {
  readonly user: UserRow
  readonly languages: readonly Choice[]
}) => {
  const texts = settingsTexts.appearance
  return (
    <>
      <PageHead title={settingsTexts.parts.appearance} />
      <Form isEdit to={settingsPath('appearance')} class="stack loose">
        <Radios
          name="theme"
          label={texts.theme}
          value={user.theme === 'light' || user.theme === 'dark' ? user.theme : 'auto'}
          choices={choicesOf(texts.themeNames)}
        />
        <Radios
          name="diff_view_style"
          label={texts.diffStyle}
          value={user.diff_view_style === 'split' ? 'split' : 'unified'}
          choices={choicesOf(texts.diffStyles)}
        />
        <Select
          name="language"
          label={texts.language}
          hint={texts.languageHint}
          value={user.language}
          choices={[{ value: '', label: texts.browserLanguage }, ...languages]}
        />
        <Checkbox
          name="enable_repo_unit_hints"
          label={texts.unitHints}
          hint={texts.unitHintsHint}
          checked={user.enable_repo_unit_hints}
        />
        <div class="form-acts">
          <Submit>{settingsTexts.save}</Submit>
        </div>
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
        <div class="form-acts">
          <Submit>{settingsTexts.save}</Submit>
        </div>
      </Form>
    </>
  )
}
