import type { LabelRow } from '../../../db/tables/issues.ts'
import { Submit } from '../../ui/button.tsx'
import { Checkbox, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { uiTexts as common } from '../../languages/texts.ts'
import { labelTexts as texts } from '../../languages/texts.ts'

/**
 * The form of a label.
 * @param id begins the ids of its fields
 * @param label undefined for a new one
 */
export const LabelForm = ({
  to,
  id,
  label,
  cancelTo,
}: {
  readonly to: string
  readonly id: string
  readonly label?: LabelRow
  readonly cancelTo?: string
}) => (
  <Form isEdit to={to} class="stack label-form">
    <div class="fields-row">
      <Field name="name" id={`${id}_name`} label={texts.name} value={label?.name} required isProse maxlength={50} />
      <Field
        name="description"
        id={`${id}_description`}
        label={texts.description}
        value={label?.description}
        isProse
        isTerse
        maxlength={200}
      />
      <Field
        name="color"
        id={`${id}_color`}
        type="color"
        label={texts.color}
        value={`#${label?.color ?? '8a4b12'}`}
        required
      />
    </div>
    <Checkbox
      name="exclusive"
      id={`${id}_exclusive`}
      label={texts.exclusive}
      hint={texts.exclusiveHint}
      checked={label?.is_exclusive ?? false}
    />
    {label ? (
      <Checkbox name="archived" id={`${id}_archived`} label={texts.archived} checked={label.archived_unix > 0} />
    ) : null}
    <div class="form-acts">
      <Submit>{label ? texts.save : texts.add}</Submit>
      {cancelTo === undefined ? null : (
        <Link class="button quiet" to={cancelTo}>
          {common.cancel}
        </Link>
      )}
    </div>
  </Form>
)
