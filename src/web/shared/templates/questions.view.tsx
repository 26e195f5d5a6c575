import type { FormField } from '../../../issues/templates/form-field.ts'
import {
  attributeOf,
  defaultOf,
  isRequired,
  labelOf,
  optionsOf,
  takesSeveral,
} from '../../../issues/templates/form-text.rules.ts'
import type { BrokenTemplate } from '../../../issues/templates/template-file.service.ts'
import { issueTexts, uiTexts as common } from '../../languages/texts.ts'
import { Checkbox, Field, Select, TextArea } from '../../ui/field.tsx'
import { Flash, Markup } from '../../ui/parts.tsx'
import { Raw } from '../../ui/raw.tsx'

const texts = issueTexts.create

/** The questions of a form, whose answers are `field-0`, `field-1` … */
export const Questions = ({
  fields,
  html,
}: {
  readonly fields: readonly FormField[]
  readonly html: QuestionProps['html']
}) => (
  <>
    {fields.map((field, index) => (
      <Question field={field} name={`field-${index}`} html={html} />
    ))}
  </>
)

/** Tells the act which version of a template the form shows. Drafts are kept over versions. */
export const TemplateVersion = ({ oid }: { readonly oid: string | undefined }) => (
  <input type="hidden" name="template_version" value={oid ?? ''} data-version="" />
)

/** Most broken templates that a page names. */
const namedAtMost = 5

/** Names templates that cannot be used, with their faults. */
export const BrokenTemplates = ({ broken }: { readonly broken: readonly BrokenTemplate[] }) =>
  broken.length === 0 ? null : (
    <Flash tone="warning">
      <p>{texts.brokenTemplates(broken.length)}</p>
      <ul>
        {broken.slice(0, namedAtMost).map(({ path, problem }) => (
          <li>
            <code>{path}</code>: {problem}
          </li>
        ))}
      </ul>
      {broken.length > namedAtMost ? <p>{texts.moreBroken(broken.length - namedAtMost)}</p> : null}
    </Flash>
  )

/** A text of a form: as HTML without the paragraph around it, or as it is. */
const FormText = ({ text, html }: { readonly text: string; readonly html: ReadonlyMap<string, string> }) => {
  const rendered = html.get(text)
  return rendered === undefined ? <>{text}</> : <Raw html={rendered.trim().replaceAll(/^<p[^>]*>|<\/p>$/g, '')} />
}

/** Returns the texts of a form whose Markdown is rendered: paragraphs, and short texts that contain any. */
export const markdownOf = (fields: readonly FormField[]): readonly string[] => {
  const short = fields.flatMap((field) => [
    attributeOf(field, 'description'),
    ...(field.type === 'checkboxes' ? optionsOf(field).map(({ label }) => label) : []),
  ])
  return [
    ...new Set([
      ...fields.flatMap((field) => (field.type === 'markdown' ? attributeOf(field, 'value') : [])),
      ...short.filter((text) => /[*_`~[\]<>@#]|:\/\//.test(text)),
    ]),
  ]
}

interface QuestionProps {
  readonly field: FormField
  /** Texts of the form as HTML, by their Markdown. */
  readonly html: ReadonlyMap<string, string>
  /** Name of its field in the form. */
  readonly name: string
}

/** A question of a form. */
const Question = ({ field, name, html }: QuestionProps) => {
  if (!field.visibleIn.includes('form')) return null
  const label = labelOf(field)
  const about = attributeOf(field, 'description')
  const hint = about === '' ? {} : { hint: <FormText text={about} html={html} /> }
  const required = isRequired(field)
  const value = attributeOf(field, 'value')
  const placeholder = attributeOf(field, 'placeholder')
  switch (field.type) {
    case 'markdown':
      return <Markup html={html.get(value) ?? ''} class="compact" />
    case 'textarea':
      return (
        <TextArea
          {...{ name, label, required, value, placeholder, ...hint }}
          rows={6}
          isCode={attributeOf(field, 'render') !== ''}
        />
      )
    case 'input':
      return <Field {...{ name, label, required, value, placeholder, ...hint }} isProse />
    case 'dropdown':
      return takesSeveral(field) ? (
        <Choices {...{ field, name, html }} />
      ) : (
        <Select
          {...{ name, label, required, ...hint }}
          value={defaultOf(field)}
          choices={[
            ...(required ? [] : [{ value: '', label: texts.none }]),
            ...optionsOf(field).map((option, index) => ({ value: String(index), label: option.label })),
          ]}
        />
      )
    case 'checkboxes':
      return <Choices {...{ field, name, html }} />
  }
}

/** Boxes to tick, for a question with several answers. */
const Choices = ({ field, name, html }: QuestionProps) => {
  const about = attributeOf(field, 'description')
  return (
    <fieldset class="choices form-choices">
      <legend>
        {labelOf(field)}
        {field.type === 'dropdown' && !isRequired(field) ? <span class="optional"> {common.optional}</span> : null}
      </legend>
      {about === '' ? null : (
        <p class="hint">
          <FormText text={about} html={html} />
        </p>
      )}
      {optionsOf(field).map((option, index) =>
        !option.isInForm ? null : (
          <Checkbox
            name={name}
            id={`${name}_${index}`}
            value={String(index)}
            required={option.isRequired}
            checked={field.type === 'dropdown' && defaultOf(field) === String(index)}
            label={
              <>
                <FormText text={option.label} html={html} />
                {option.isRequired ? <span class="optional"> {texts.required}</span> : null}
              </>
            }
          />
        ),
      )}
    </fieldset>
  )
}
