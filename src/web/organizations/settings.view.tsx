import type { UserRow } from '../../db/tables/accounts.ts'
import { visibilities } from '../../users/visibility.rules.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { PictureSection } from '../shared/pictures/picture.view.tsx'
import { Section } from '../ui/section.tsx'
import { Submit } from '../ui/button.tsx'
import { Checkbox, Field, Radios, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { PageHead } from '../ui/parts.tsx'
import { Avatar } from '../ui/person.tsx'
import {
  organizationTexts as commonTexts,
  organizationSettingsTexts as texts,
  newOrganizationTexts as creation,
} from '../languages/texts.ts'

const choices = () => visibilities.map((value) => ({ value, ...creation.visibilities[value] }))

/** Profile, picture, name and end of an organization. */
export const OrgSettingsView = ({ org }: { readonly org: UserRow }) => {
  const at = (...parts: readonly string[]) => orgPath(org, 'settings', ...parts)
  return (
    <>
      <PageHead title={texts.parts.profile} lead={texts.profileLead} />
      <div class="profile-settings">
        <Form isEdit to={at()} class="stack">
          <Field name="full_name" label={creation.fullName} value={org.full_name} maxlength={100} isProse />
          <TextArea name="description" label={creation.description} value={org.description} maxlength={255} rows={3} />
          <div class="fields-row">
            <Field name="website" label={texts.website} value={org.website} maxlength={255} inputmode="url" />
            <Field name="location" label={texts.location} value={org.location} maxlength={50} isProse />
          </div>
          <Field
            name="email"
            type="email"
            label={texts.email}
            hint={texts.emailHint}
            value={org.email}
            maxlength={255}
          />
          <Radios name="visibility" label={creation.visibility} value={org.visibility} choices={choices()} />
          <Checkbox
            name="repo_admin_change_team_access"
            label={texts.teamAccess}
            hint={texts.teamAccessHint}
            checked={org.repo_admin_change_team_access}
          />
          <div class="form-acts">
            <Submit>{commonTexts.save}</Submit>
          </div>
        </Form>
        <PictureSection to={at('avatar')} hasOwn={org.avatar_key !== ''}>
          <Avatar person={org} size={96} />
        </PictureSection>
      </div>
      <Section title={texts.rename} id="rename" lead={texts.renameLead}>
        <Form to={at('rename')} class="stack" confirm={texts.renameQuestion(org.name)}>
          <Field name="new_name" label={texts.newName} value={org.name} required maxlength={40} autocomplete="off" />
          <div class="form-acts">
            <Submit kind="plain">{texts.rename}</Submit>
          </div>
        </Form>
      </Section>
      <Section title={texts.delete} id="delete" lead={texts.deleteLead} isDanger>
        <Form to={at('delete')} class="stack">
          <Field name="confirm" label={commonTexts.typeName(org.name)} required autocomplete="off" />
          <div class="form-acts">
            <Submit kind="danger">{texts.delete}</Submit>
          </div>
        </Form>
      </Section>
    </>
  )
}
