/** A mapping as a template has it. */
export type Values = Readonly<Record<string, unknown>>

/** Most questions of a form; each has a field on the page. */
export const maxFields = 100

/** Where a form field is visible: while the user fills in the form, or in the created issue. */
export const sights = ['form', 'content'] as const
export type Sight = (typeof sights)[number]

export const fieldTypes = ['markdown', 'textarea', 'input', 'dropdown', 'checkboxes'] as const

/** A form field; attributes and validations are kept as the file has them. */
export interface FormField {
  readonly type: (typeof fieldTypes)[number]
  readonly id: string
  readonly attributes: Values | null
  readonly validations: Values | null
  readonly visibleIn: readonly Sight[]
}
