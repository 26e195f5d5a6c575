import { Invalid } from '../../lib/errors.ts'
import type { FormField } from './template.parse.ts'

const textOf = (values: FormField['attributes'], name: string): string => {
  const value = values?.[name]
  return typeof value === 'string' ? value : ''
}

/** Returns the label of a question. */
export const labelOf = (field: FormField): string => textOf(field.attributes, 'label') || field.id

/** Returns a text attribute of a question, empty without it. */
export const attributeOf = (field: FormField, name: string): string => textOf(field.attributes, name)

/** Returns whether a question needs an answer. */
export const isRequired = (field: FormField): boolean => field.validations?.['required'] === true

/** An option of a list or of checkboxes. */
export interface FormOption {
  readonly label: string
  readonly isRequired: boolean
}

/** Returns the options of a list or of checkboxes. */
export function optionsOf(field: FormField): readonly FormOption[] {
  const options = field.attributes?.['options']
  if (!Array.isArray(options)) return []
  return options.flatMap((option: unknown): FormOption[] => {
    if (typeof option === 'string') return [{ label: option, isRequired: false }]
    if (typeof option !== 'object' || option === null) return []
    const { label, required } = option as { label?: unknown; required?: unknown }
    return typeof label === 'string' ? [{ label, isRequired: required === true }] : []
  })
}

/** Returns whether a list takes several answers. */
export const takesSeveral = (field: FormField): boolean => field.attributes?.['multiple'] === true

/** Returns the position of the answer that a list begins with, as a text; undefined without one. */
export function defaultOf(field: FormField): string | undefined {
  const position = field.attributes?.['default']
  return typeof position === 'number' ? String(position) : undefined
}

const noAnswer = '_No response_'

function answerText(field: FormField, sent: readonly string[]): string {
  if (field.type === 'checkboxes') {
    const ticked = new Set(sent)
    return optionsOf(field)
      .map(({ label }, index) => `- [${ticked.has(String(index)) ? 'x' : ' '}] ${label}`)
      .join('\n')
  }
  if (field.type === 'dropdown') {
    const options = optionsOf(field)
    return sent.flatMap((index) => options[Number(index)]?.label ?? []).join(', ') || noAnswer
  }
  const text = (sent[0] ?? '').trim()
  if (text === '') return noAnswer
  const language = attributeOf(field, 'render')
  return language === '' ? text : `\`\`\`${language}\n${text}\n\`\`\``
}

function refuseMissing(field: FormField, sent: readonly string[]): void {
  const label = labelOf(field)
  const isAnswered = sent.some((each) => each.trim() !== '')
  if (field.type !== 'checkboxes' && isRequired(field) && !isAnswered) {
    throw new Invalid(`"${label}" needs an answer`, 'form_answer_missing')
  }
  if (field.type !== 'checkboxes') return
  const missing = optionsOf(field).find((option, index) => option.isRequired && !sent.includes(String(index)))
  if (missing) throw new Invalid(`"${missing.label}" must be ticked`, 'form_answer_missing')
}

/**
 * Returns the text of an issue from the answers to a form: each question as a heading with its answer.
 * @param sentTo the values that were sent for the question with this position
 * @throws Invalid when a required answer is missing
 */
export function formText(fields: readonly FormField[], sentTo: (index: number) => readonly string[]): string {
  return fields
    .flatMap((field, index) => {
      if (!field.visibleIn.includes('content')) return []
      if (field.type === 'markdown') return [attributeOf(field, 'value')]
      refuseMissing(field, sentTo(index))
      return [`### ${labelOf(field)}\n\n${answerText(field, sentTo(index))}`]
    })
    .join('\n\n')
}
