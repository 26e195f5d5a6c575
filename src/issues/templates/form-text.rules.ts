import { expressionPattern, faultOfExpression } from '../../lib/expression.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { Invalid } from '../../lib/errors.ts'
import type { FormField } from './form-field.ts'

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
  /** Whether the form shows it, and whether the issue has it. */
  readonly isInForm: boolean
  readonly isInContent: boolean
}

/** Returns the options of a list or of checkboxes. */
export function optionsOf(field: FormField): readonly FormOption[] {
  const options = field.attributes?.['options']
  if (!Array.isArray(options)) return []
  return options.flatMap((option: unknown): FormOption[] => {
    if (typeof option === 'string') return [{ label: option, isRequired: false, isInForm: true, isInContent: true }]
    if (typeof option !== 'object' || option === null) return []
    const { label, required, visible } = option as { label?: unknown; required?: unknown; visible?: unknown }
    if (typeof label !== 'string') return []
    const isIn = (sight: string) => !Array.isArray(visible) || visible.includes(sight)
    return [{ label, isRequired: required === true, isInForm: isIn('form'), isInContent: isIn('content') }]
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

/** Returns a fence that is longer than each run of backticks in a text. */
const fenceFor = (text: string): string =>
  '`'.repeat(Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)))

/** Ends a fenced block that an answer leaves open, so that it does not contain the next questions. */
function withClosedFence(text: string): string {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (fence === '') continue
    if (open === undefined) open = fence.startsWith('`') && info.includes('`') ? undefined : fence
    else if (fence.startsWith(open) && info.trim() === '') open = undefined
  }
  return open === undefined ? text : `${text}\n${open}`
}

function answerText(field: FormField, sent: readonly string[]): string {
  if (field.type === 'checkboxes') {
    const ticked = new Set(sent)
    return optionsOf(field)
      .flatMap(({ label, isInContent }, index) =>
        isInContent ? [`- [${ticked.has(String(index)) ? 'x' : ' '}] ${label}`] : [],
      )
      .join('\n')
  }
  if (field.type === 'dropdown') {
    const options = optionsOf(field)
    const chosen = sent.flatMap((index) => options[Number(index)]?.label ?? [])
    if (chosen.length === 0) return noAnswer
    return field.attributes?.['list'] === true ? chosen.map((label) => `- ${label}`).join('\n') : chosen.join(', ')
  }
  const text = answerOf(field, sent).replace(/\r\n?/g, '\n')
  if (text === '') return noAnswer
  const language = attributeOf(field, 'render')
  if (language === '') return withClosedFence(text)
  const fence = fenceFor(text)
  return `${fence}${language}\n${text}\n${fence}`
}

/** Returns the text of an answer; a question that the form does not show has the answer of the template. */
const answerOf = (field: FormField, sent: readonly string[]): string =>
  (field.visibleIn.includes('form') ? (sent[0] ?? '') : attributeOf(field, 'value')).trim()

const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Refuses an answer of the wrong form. An expression that cannot be used refuses each answer, and says so. */
function refuseMalformed(field: FormField, sent: readonly string[], budget: WorkBudget): void {
  const text = answerOf(field, sent)
  if (field.type !== 'input' || text === '') return
  const label = labelOf(field)
  if (field.validations?.['is_number'] === true && !numberForm.test(text)) {
    throw new Invalid(`"${label}" needs a number`, 'form_answer_invalid')
  }
  const regex = field.validations?.['regex']
  if (typeof regex !== 'string' || regex === '') return
  const match = expressionPattern(regex, budget, { isWhole: true }).match(text)
  if (match === true) return
  const fault = match === 'undecided' ? faultOfExpression(regex, budget)?.reason : undefined
  throw new Invalid(
    fault === undefined
      ? `"${label}" does not have the form ${regex}`
      : `the template of "${label}" has an expression that cannot be used: ${fault}`,
    'form_answer_invalid',
  )
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
 * @throws Invalid when a required answer is missing or an answer has the wrong form
 */
export function formText(
  fields: readonly FormField[],
  sentTo: (index: number) => readonly string[],
  budget: WorkBudget,
): string {
  return fields
    .flatMap((field, index) => {
      if (field.type !== 'markdown') {
        refuseMissing(field, sentTo(index))
        refuseMalformed(field, sentTo(index), budget)
      }
      if (!field.visibleIn.includes('content')) return []
      if (field.type === 'markdown') return [attributeOf(field, 'value')]
      return [`### ${labelOf(field)}\n\n${answerText(field, sentTo(index))}`]
    })
    .join('\n\n')
}
