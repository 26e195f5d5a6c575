import { RemoveButton, Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { administrationTexts } from '../../languages/texts.ts'

const texts = administrationTexts.flags

/** The flags of a repository. */
export const FlagsView = ({ path, flags }: { readonly path: string; readonly flags: readonly string[] }) => (
  <div class="stack">
    <PageHead title={texts.title} lead={texts.lead} />
    <RowBox rows={flags} none={texts.none}>
      {(flag) => (
        <li class="row">
          <code class="row-main">{flag}</code>
          <RemoveButton
            to={`${path}/delete`}
            hidden={{ flag }}

            label={texts.removeOf(flag)}
          >
            {texts.remove}
          </RemoveButton>
        </li>
      )}
    </RowBox>
    <Form to={path} class="line" label={texts.add}>
      <Field
        name="flag"
        label={texts.name}
        isLabelHidden
        isTerse
        placeholder={texts.name}
        maxlength={255}
        required
        autocomplete="off"
      />
      <Submit>{texts.add}</Submit>
    </Form>
  </div>
)
