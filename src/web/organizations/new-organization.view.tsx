import { visibilities } from '../../users/visibility.rules.ts'
import { SubmitRow } from '../ui/button.tsx'
import { Field, Radios, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { PageHead } from '../ui/parts.tsx'
import { newOrganizationTexts as texts } from '../languages/texts.ts'

const choices = () => visibilities.map((value) => ({ value, ...texts.visibilities[value] }))

/** The form of a new organization. */
export const NewOrganizationView = () => (
  <div class="container">
    <div class="narrow">
      <PageHead title={texts.title} lead={texts.lead} />
      <Form to="/org/create" class="stack">
        <Field name="org_name" label={texts.name} hint={texts.nameHint} required autofocus autocomplete="off" />
        <Field name="full_name" label={texts.fullName} isProse />
        <TextArea name="description" label={texts.description} rows={3} />
        <Radios name="visibility" label={texts.visibility} value="public" choices={choices()} />
        <SubmitRow>{texts.create}</SubmitRow>
      </Form>
    </div>
  </div>
)
