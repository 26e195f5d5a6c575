import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { formScope, noteStored, sentValue, textOf, type Marks } from './form-state.ts'
import { uiTexts as texts } from '../languages/texts.ts'

/** What all kinds of fields have. */
interface LabelledProps {
  readonly name: string
  readonly label: ComponentChildren
  /** Differs from the name when several forms of a page have such a field. */
  readonly id?: string
  readonly hint?: ComponentChildren
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean
}

/** What somebody else stored meanwhile in a field, beside what was sent. */
export function OthersValue({ name, id }: { readonly name: string; readonly id: string }) {
  const { others } = formScope.current()
  const shown = others?.get(name)
  if (shown === undefined) return null
  others?.delete(name)
  return (
    <div class="others-value" id={`${id}_other`}>
      <p>{shown === '' ? texts.emptiedMeanwhile : texts.storedMeanwhile}</p>
      {shown === '' ? null : <pre>{shown}</pre>}
    </div>
  )
}

/** Label, hint and problem around a control. */
function Labelled({
  name,
  label,
  id = name,
  hint,
  isLabelHidden = false,
  isOptional,
  control,
}: LabelledProps & {
  readonly isOptional: boolean
  readonly control: (attributes: Readonly<Record<string, string | undefined>>) => ComponentChildren
}) {
  const { problem, whenShown, others } = formScope.current()
  const isWrong = problem?.field === name
  if (isWrong) whenShown?.()
  const described = [
    ...(hint === undefined ? [] : [`${id}_hint`]),
    ...(isWrong ? [`${id}_problem`] : []),
    ...(others?.has(name) ? [`${id}_other`] : []),
  ]
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'sr-only' : undefined}>
        {label}
        {isOptional && !isLabelHidden ? <span class="optional"> {texts.optional}</span> : null}
      </label>
      {control({
        id,
        name,
        'aria-invalid': isWrong ? 'true' : undefined,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
      })}
      {isWrong ? (
        <p class="wrong" role="alert" id={`${id}_problem`}>
          {problem.message}
        </p>
      ) : null}
      <OthersValue name={name} id={id} />
      {hint === undefined ? null : (
        <p class="hint" id={`${id}_hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

export interface FieldProps extends LabelledProps {
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'number' | 'date' | 'search' | 'time' | 'color' | 'file'
  readonly value?: string | number | undefined
  readonly autocomplete?: string
  readonly inputmode?: 'numeric' | 'text' | 'email' | 'url'
  readonly maxlength?: number
  readonly minlength?: number
  readonly min?: string | number
  readonly max?: string | number
  readonly pattern?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly readonly?: boolean
  readonly multiple?: boolean
  readonly accept?: string
  readonly autofocus?: boolean
  /** Id of a `datalist`. */
  readonly list?: string
  /** The text is prose: it is checked for spelling. */
  readonly isProse?: boolean
  /** `optional` is not written beside the label, for search fields and rows of fields. */
  readonly isTerse?: boolean
  readonly class?: string
}

/** A field of one line. */
export function Field({
  name,
  label,
  id,
  hint,
  isLabelHidden,
  value,
  required = false,
  isProse = false,
  isTerse = false,
  ...rest
}: FieldProps & Marks) {
  const { problem } = formScope.current()
  const isSecret = rest.type === 'password' || rest.type === 'file'
  const sent = textOf(sentValue(name))
  const shown = isSecret ? undefined : (sent ?? value)
  if (!isSecret) noteStored(name, [String(value ?? '')])
  return (
    <Labelled
      {...{ name, label, id, hint, isLabelHidden }}
      isOptional={!required && !isTerse}
      control={(attributes) => (
        <input
          {...({
            type: 'text',
            ...rest,
            ...attributes,
            value: shown,
            required,
            autofocus: problem?.field === undefined ? rest.autofocus : problem.field === name,
            ...(isProse ? {} : { autocapitalize: 'none', spellcheck: false }),
          } as InputHTMLAttributes)}
        />
      )}
    />
  )
}

/** A field of several lines. */
export function TextArea({
  name,
  label,
  id,
  hint,
  isLabelHidden,
  value,
  rows = 4,
  required = false,
  isCode = false,
  isSecret = false,
  ...rest
}: LabelledProps & {
  readonly value?: string | undefined
  /** What is typed is not kept in the browser. */
  readonly isSecret?: boolean
  readonly rows?: number
  readonly required?: boolean
  readonly maxlength?: number
  readonly placeholder?: string
  readonly autofocus?: boolean
  readonly isCode?: boolean
} & Marks) {
  noteStored(name, [value ?? ''])
  // A browser drops one line break at the beginning of the element.
  const text = textOf(sentValue(name)) ?? value ?? ''
  return (
    <Labelled
      {...{ name, label, id, hint, isLabelHidden }}
      isOptional={!required}
      control={(attributes) => (
        <textarea
          {...rest}
          {...attributes}
          {...(isSecret ? { 'data-unkept': '' } : {})}
          rows={rows}
          required={required}
          class={isCode ? 'code-input' : undefined}
          spellcheck={!isCode}
        >
          {text.startsWith('\n') ? `\n${text}` : text}
        </textarea>
      )}
    />
  )
}

export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: ComponentChildren
  readonly disabled?: boolean
  /** Heading above it in a list; choices of a group follow each other. */
  readonly group?: string
}

/** A list to choose one value from. */
export function Select({
  name,
  label,
  id,
  hint,
  isLabelHidden,
  value,
  choices,
  required = true,
  ...rest
}: LabelledProps & {
  readonly value?: string | undefined
  readonly choices: readonly Choice[]
  readonly required?: boolean
} & Marks) {
  const chosen = textOf(sentValue(name)) ?? value
  noteStored(name, [value ?? ''], choices.find((choice) => choice.value === value)?.label ?? value ?? '')
  return (
    <Labelled
      {...{ name, label, id, hint, isLabelHidden }}
      isOptional={!required}
      control={(attributes) => (
        <select {...rest} {...attributes}>
          {[...Map.groupBy(choices, ({ group }) => group)].map(([group, ofGroup]) => {
            const options = ofGroup.map((choice) => (
              <option value={choice.value} selected={choice.value === chosen} disabled={choice.disabled}>
                {choice.label}
              </option>
            ))
            return group === undefined ? options : <optgroup label={group}>{options}</optgroup>
          })}
        </select>
      )}
    />
  )
}

/** Values that one name was sent with. */
const sentList = (value: unknown): readonly unknown[] | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value : [value]

/**
 * A box to tick.
 * @param value sent when ticked; the default is `true`
 */
export function Checkbox({
  name,
  label,
  id = name,
  hint,
  checked = false,
  value = 'true',
  disabled = false,
  required = false,
  ...rest
}: LabelledProps & {
  readonly checked?: boolean
  readonly value?: string
  readonly disabled?: boolean
  readonly required?: boolean
} & Marks) {
  const { values, problem } = formScope.current()
  const isSentAgain = Object.keys(values).length > 0
  const labelText = typeof label === 'string' ? label : value
  const stored = checked ? texts.ticked : texts.notTicked
  noteStored(name, checked ? [value] : [], value === 'true' ? stored : checked ? labelText : '')
  const sent = sentList(sentValue(name))?.some((each) => String(each) === value) ?? false
  return (
    <div class="field choice">
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={isSentAgain ? sent : checked}
        disabled={disabled}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}_hint`}
        aria-invalid={problem?.field === name ? 'true' : undefined}
        {...rest}
      />
      <label for={id}>{label}</label>
      {value === 'true' ? <OthersValue name={name} id={id} /> : null}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}_hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** A choice of one value; each value has a line of explanation. */
export function Radios({
  name,
  label,
  value,
  choices,
  isLabelHidden = false,
}: {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly choices: readonly Choice[]
  readonly isLabelHidden?: boolean
}) {
  const chosen = textOf(sentValue(name)) ?? value
  const stored = choices.find((choice) => choice.value === value)
  noteStored(name, [value ?? ''], typeof stored?.label === 'string' ? stored.label : (value ?? ''))
  return (
    <fieldset class="field radios">
      <legend class={isLabelHidden ? 'sr-only' : undefined}>{label}</legend>
      {choices.map((choice) => (
        <div class="choice">
          <input
            type="radio"
            id={`${name}_${choice.value}`}
            name={name}
            value={choice.value}
            checked={choice.value === chosen}
            disabled={choice.disabled}
            required
          />
          <label for={`${name}_${choice.value}`}>{choice.label}</label>
          {choice.hint === undefined ? null : <p class="hint">{choice.hint}</p>}
        </div>
      ))}
      <OthersValue name={name} id={name} />
    </fieldset>
  )
}
