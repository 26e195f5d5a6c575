import { Field, type FieldProps } from './field.tsx'
import { usePage } from './page-context.ts'
import { siteHref } from './paths.ts'

/** A field for the name of a person. Scripts complete it; without scripts it is a plain field. */
export const PersonField = (
  props: Pick<FieldProps, 'name' | 'label' | 'hint' | 'isLabelHidden' | 'isTerse' | 'placeholder' | 'required'> & {
    readonly id: string
  },
) => {
  const { config } = usePage()
  return (
    <>
      <Field
        {...props}
        maxlength={255}
        autocomplete="off"
        list={`${props.id}_names`}
        data-names-url={siteHref(config, '/-/suggestions')}
      />
      <datalist id={`${props.id}_names`} />
    </>
  )
}
