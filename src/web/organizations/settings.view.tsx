import type { UserRow } from '../../db/tables/accounts.ts'
import { visibilities, visibilityOf } from '../../users/visibility.rules.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { PictureSection } from '../shared/pictures/picture.view.tsx'
import { Section } from '../ui/section.tsx'
import { SubmitRow } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { area, box, formOf, line, radios, readBy } from '../ui/form-fields.tsx'
import { Form } from '../ui/form.tsx'
import { PageHead } from '../ui/parts.tsx'
import { Avatar } from '../ui/person.tsx'
import {
  organizationTexts as commonTexts,
  organizationSettingsTexts as texts,
  newOrganizationTexts as creation,
} from '../languages/texts.ts'

/** What others see of an organization. */
export const orgProfileForm = formOf({
  full_name: line(() => ({ label: creation.fullName, isProse: true }), { limit: 100, as: 'fullName' }),
  description: area(() => ({ label: creation.description, rows: 3 }), { limit: 255 }),
  website: line(() => ({ label: texts.website, inputmode: 'url' }), { limit: 255, refusals: ['website'] }),
  location: line(() => ({ label: texts.location, isProse: true }), { limit: 50 }),
  email: line(() => ({ label: texts.email, hint: texts.emailHint, type: 'email' }), {
    limit: 255,
    refusals: ['email'],
  }),
  visibility: readBy(
    visibilityOf,
    radios(() => ({
      label: creation.visibility,
      choices: visibilities.map((value) => ({ value, ...creation.visibilities[value] })),
    })),
  ),
  repo_admin_change_team_access: box(() => ({ label: texts.teamAccess, hint: texts.teamAccessHint }), {
    as: 'repoAdminChangeTeamAccess',
  }),
})

/** Profile, picture, name and end of an organization. */
export const OrgSettingsView = ({ org }: { readonly org: UserRow }) => {
  const at = (...parts: readonly string[]) => orgPath(org, 'settings', ...parts)
  const fields = orgProfileForm.show(org)
  return (
    <>
      <PageHead title={texts.parts.profile} lead={texts.profileLead} />
      <div class="profile-settings">
        <Form isEdit to={at()} class="stack">
          {fields.full_name}
          {fields.description}
          <div class="fields-row">
            {fields.website}
            {fields.location}
          </div>
          {fields.email}
          {fields.visibility}
          {fields.repo_admin_change_team_access}
          <SubmitRow>{commonTexts.save}</SubmitRow>
        </Form>
        <PictureSection to={at('avatar')} hasOwn={org.avatar_key !== ''}>
          <Avatar person={org} size={96} />
        </PictureSection>
      </div>
      <Section title={texts.rename} id="rename" lead={texts.renameLead}>
        <Form to={at('rename')} class="stack" confirm={texts.renameQuestion(org.name)}>
          <Field name="new_name" label={texts.newName} value={org.name} required maxlength={40} autocomplete="off" />
          <SubmitRow kind="plain">{texts.rename}</SubmitRow>
        </Form>
      </Section>
      <Section title={texts.delete} id="delete" lead={texts.deleteLead} isDanger>
        <Form to={at('delete')} class="stack">
          <Field name="confirm" label={commonTexts.typeName(org.name)} required autocomplete="off" />
          <SubmitRow kind="danger">{texts.delete}</SubmitRow>
        </Form>
      </Section>
    </>
  )
}
