import type { UserRow } from '../../db/tables/accounts.ts'
import { ActButton, Checkbox, Field, Form, Radios, Submit, TextArea } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { PageHead } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { sizeText } from '../ui/texts.tsx'
import { Section } from '../frames/section.tsx'
import { texts as all } from './texts.tsx'

const texts = all.profile

interface ProfileProps {
  readonly user: UserRow
  /** Visibilities that accounts may choose. */
  readonly visibilities: readonly string[]
  readonly maxAvatarBytes: number
}

export const ProfileView = ({ user, visibilities, maxAvatarBytes }: ProfileProps) => (
  <>
    <PageHead title={texts.heading} lead={texts.lead}>
      <ButtonLink to={pathOf(user.name)}>{texts.see}</ButtonLink>
    </PageHead>
    <div class="profile-settings">
      <Form to="/user/settings" class="stack">
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
      <Section title={texts.picture} id="picture">
        <div class="stack">
          <Avatar person={user} size={96} />
          <Form to="/user/settings/avatar" class="stack" files>
            <Field
              name="avatar"
              type="file"
              label={texts.newPicture}
              hint={texts.pictureHint(sizeText(maxAvatarBytes))}
              accept="image/png,image/jpeg,image/gif,image/webp"
              required
            />
            <div class="form-acts">
              <Submit kind="plain" icon="upload">
                {texts.upload}
              </Submit>
            </div>
          </Form>
          {user.avatar_key === '' ? null : (
            <ActButton
              to="/user/settings/avatar/delete"
              kind="danger"
              icon="trash"
              confirm={texts.removePictureQuestion}
            >
              {texts.removePicture}
            </ActButton>
          )}
        </div>
      </Section>
    </div>
  </>
)
