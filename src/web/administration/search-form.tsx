import type { ComponentChildren } from 'preact'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { uiTexts as texts } from '../languages/texts.ts'

/** The search above a list of the administration. */
export const SearchForm = ({
  to,
  label,
  text,
  placeholder,
  children,
}: {
  /** Path of the list below the site root. */
  readonly to: string
  readonly label: string
  readonly text: string | undefined
  readonly placeholder?: string
  /** Further filters. */
  readonly children?: ComponentChildren
}) => (
  <Form to={to} method="get" class="filters" role="search" label={label}>
    <Field
      name="q"
      type="search"
      label={label}
      isLabelHidden
      isTerse
      value={text}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
    {children}
    <Submit kind="plain" icon="search">
      {texts.search}
    </Submit>
  </Form>
)
