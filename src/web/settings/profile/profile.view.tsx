import type { UserRow } from '../../../db/tables/accounts.ts'
import { Submit } from '../../ui/button.tsx'
import { Checkbox, Field, Radios, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { PictureSection } from '../../shared/pictures/picture.view.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.profile

interface ProfileProps {
  readonly user: UserRow
  /** Visibilities that accounts may choose. */
  readonly visibilities: readonly string[]
}

export const ProfileView = ({ user, visibilities }: ProfileProps) => (
  <>
    <PageHead title={texts.heading} lead={texts.lead}>
      <ButtonLink to={pathOf(user.name)}>{texts.see}</ButtonLink>
    </PageHead>
    <div class="profile-settings">
      <Form isEdit to="/user/settings" class="stack">
        <Field
          name="full_name"
          label={texts.fullName}
          value={user.full_name}
          maxlength={100}
          autocomplete="name"
          isProse
        />
        <div class="fields-row">
          <Field name="pronouns" label={texts.pronouns} value={user.pronouns} maxlength={50} isProse />
          <Field name="location" label={texts.location} value={user.location} maxlength={50} isProse />
        </div>
        <Field
          name="website"
          label={texts.website}
          value={user.website}
          maxlength={255}
          inputmode="url"
          autocomplete="url"
        />
        <TextArea name="description" label={texts.description} value={user.description} maxlength={255} rows={3} />
        {visibilities.length < 2 ? null : (
          <Radios
            name="visibility"
            label={texts.visibility}
            value={user.visibility}
            choices={visibilities.map((value) => ({
              value,
              label: texts.visibilities[value]?.[0] ?? value,
              hint: texts.visibilities[value]?.[1],
            }))}
          />
        )}
        <div class="stack tight">
          <Checkbox name="hide_pronouns" label={texts.hidePronouns} checked={user.hide_pronouns} />
          <Checkbox name="hide_activity" label={texts.hideActivity} checked={user.hide_activity} />
        </div>
        <div class="form-acts">
          <Submit>{texts.save}</Submit>
        </div>
      </Form>
      <PictureSection to="/user/settings/avatar" hasOwn={user.avatar_key !== ''}>
        <Avatar person={user} size={96} />
      </PictureSection>
    </div>
  </>
)
