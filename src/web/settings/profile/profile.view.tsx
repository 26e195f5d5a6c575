import type { UserRow } from '../../../db/tables/accounts.ts'
import { SubmitRow } from '../../ui/button.tsx'
import { area, box, formOf, line, radios } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { PictureSection } from '../../shared/pictures/picture.view.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.profile

/** Visibilities that accounts may choose. */
const offeredVisibilities = () => usePage().config.service.allowedUserVisibilityModes

/** What others see of the account. */
export const profileForm = formOf({
  full_name: line(() => ({ label: texts.fullName, autocomplete: 'name', isProse: true }), { limit: 100 }),
  pronouns: line(() => ({ label: texts.pronouns, isProse: true }), { limit: 50 }),
  location: line(() => ({ label: texts.location, isProse: true }), { limit: 50 }),
  website: line(() => ({ label: texts.website, inputmode: 'url', autocomplete: 'url' }), {
    limit: 255,
    refusals: ['website'],
  }),
  description: area(() => ({ label: texts.description, rows: 3 }), { limit: 255 }),
  visibility: radios(() => ({
    label: texts.visibility,
    choices: offeredVisibilities().map((value) => ({
      value,
      label: texts.visibilities[value]?.[0] ?? value,
      hint: texts.visibilities[value]?.[1],
    })),
  })),
  hide_pronouns: box(() => ({ label: texts.hidePronouns })),
  hide_activity: box(() => ({ label: texts.hideActivity })),
})

export const ProfileView = ({ user }: { readonly user: UserRow }) => {
  const fields = profileForm.show(user)
  return (
    <>
      <PageHead title={texts.heading} lead={texts.lead}>
        <ButtonLink to={pathOf(user.name)}>{texts.see}</ButtonLink>
      </PageHead>
      <div class="profile-settings">
        <Form isEdit to="/user/settings" class="stack">
          {fields.full_name}
          <div class="fields-row">
            {fields.pronouns}
            {fields.location}
          </div>
          {fields.website}
          {fields.description}
          {offeredVisibilities().length < 2 ? null : fields.visibility}
          <div class="stack tight">
            {fields.hide_pronouns}
            {fields.hide_activity}
          </div>
          <SubmitRow>{texts.save}</SubmitRow>
        </Form>
        <PictureSection to="/user/settings/avatar" hasOwn={user.avatar_key !== ''}>
          <Avatar person={user} size={96} />
        </PictureSection>
      </div>
    </>
  )
}
