import { maxFields } from '../../../issues/templates/form-field.ts'
import { formText } from '../../../issues/templates/form-text.rules.ts'
import type { Versioned } from '../../../issues/templates/template-file.service.ts'
import type { IssueTemplate } from '../../../issues/templates/template.parse.ts'
import { Conflict } from '../../../lib/errors.ts'
import type { WorkBudget } from '../../../lib/work-budget.ts'
import { issueTexts } from '../../languages/texts.ts'
import { text, textList } from '../../ui/fields.ts'

/** Names of the fields that answer the questions of a form: `field-0`, `field-1` … */
const answers = Object.fromEntries(
  Array.from({ length: maxFields }, (_, index) => [`field-${index}`, textList] as const),
) as Readonly<Record<`field-${number}`, typeof textList>>

/** The fields of a text that may have a template. */
export const templateFields = { content: text, template: text, template_version: text, ...answers } as const

interface SentText {
  readonly content?: string | undefined
  readonly template_version?: string | undefined
}

/**
 * Returns the typed text, or the text that the answers to a form make.
 * @throws Conflict when the template is not the one that the form showed: its questions may be others
 */
export function textOfForm(
  template: Versioned<Pick<IssueTemplate, 'fields'>> | undefined,
  body: SentText,
  budget: WorkBudget,
): string {
  if (body.template_version !== undefined && body.template_version !== (template?.oid ?? '')) {
    throw new Conflict(issueTexts.create.templateChanged, 'template_changed')
  }
  if (template?.fields === undefined) return body.content ?? ''
  const sent = body as Readonly<Record<string, unknown>>
  const answerTo = (index: number): readonly string[] => {
    const answer = sent[`field-${index}`]
    return Array.isArray(answer) ? (answer as string[]) : []
  }
  return formText(template.fields, answerTo, budget)
}
