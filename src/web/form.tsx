import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import type { Config } from '../config/load-config.ts'
import { Refusal } from '../lib/errors.ts'
import { csrfName, type BrowserCtx } from './browser.requirements.ts'
import { sentenceOf, sitePath } from './page.tsx'

/** What was wrong with a form: with one of its fields, or with all of it. */
export interface Problem {
  /** Name of the field; undefined for the whole form. */
  readonly field?: string | undefined
  readonly message: string
}

/**
 * What a refusal says to somebody who sent a form; other errors are thrown on.
 * @param fields which field a refusal is about, by how its code begins
 */
export function problemOf(error: unknown, fields: Readonly<Record<string, string>> = {}): Problem {
  if (!(error instanceof Refusal)) throw error
  const field = Object.entries(fields).find(([code]) => error.code.startsWith(code))?.[1]
  return { field, message: sentenceOf(error.message) }
}

/** The whole form was not taken: told first, and to screen readers at once. What is wrong with one field stands there. */
export const FormProblem = ({ problem }: { readonly problem: Problem | undefined }) =>
  problem === undefined || problem.field !== undefined ? null : (
    <p class="problem" role="alert" id="problem">
      {problem.message}
    </p>
  )

export interface FieldProps {
  readonly name: string
  readonly label: string
  /** Unlike the name where a page has several forms with such a field. */
  readonly id?: string
  readonly type?: 'text' | 'password' | 'email'
  readonly value?: string | undefined
  readonly hint?: ComponentChildren
  readonly problem?: Problem | undefined
  readonly autocomplete?: string
  readonly inputmode?: 'numeric' | 'text' | 'email'
  readonly maxlength?: number
  readonly minlength?: number
  readonly required?: boolean
  readonly autofocus?: boolean
}

/** A field with its label, its hint and what is wrong with it, which belong together for those who do not see them together. */
export function Field({ name, label, id = name, hint, problem, required = true, autofocus, ...rest }: FieldProps) {
  const isWrong = problem?.field === name
  const told = [...(hint === undefined ? [] : [`${id}_hint`]), ...(isWrong ? [`${id}_problem`] : [])]
  const isWord = rest.type !== 'password' && rest.inputmode !== 'numeric'
  // Which attributes go together depends on the type, which the caller chooses.
  const attributes = {
    ...rest,
    id,
    name,
    required,
    autofocus: isWrong || (autofocus === true && (problem === undefined || problem.field === undefined)),
    'aria-invalid': isWrong ? 'true' : undefined,
    'aria-describedby': told.length === 0 ? undefined : told.join(' '),
    ...(isWord ? { autocapitalize: 'none', spellcheck: false } : {}),
  } as InputHTMLAttributes
  return (
    <>
      <label for={id}>{label}</label>
      <input {...attributes} />
      {hint === undefined ? null : (
        <p class="hint" id={`${id}_hint`}>
          {hint}
        </p>
      )}
      {isWrong ? (
        <p class="wrong" role="alert" id={`${id}_problem`}>
          {problem.message}
        </p>
      ) : null}
    </>
  )
}

/** A form that is sent to a path of this site, with the field that shows that it came from here. */
export const Form = ({
  ctx,
  to,
  hidden = {},
  children,
  ...rest
}: {
  readonly ctx: Pick<BrowserCtx, 'config' | 'csrf'>
  readonly to: string
  readonly hidden?: Readonly<Record<string, string | number | undefined>>
  readonly children: ComponentChildren
} & Readonly<Record<`data-${string}`, string | number | undefined>>) => (
  <form method="post" action={sitePath(ctx.config, to)} {...rest}>
    <input type="hidden" name={csrfName} value={ctx.csrf} />
    {Object.entries(hidden).map(([name, value]) =>
      value === undefined ? null : <input type="hidden" name={name} value={value} />,
    )}
    {children}
  </form>
)

/** How passwords are to be, for those who choose one. */
export function passwordHint({ minPasswordLength, passwordComplexity }: Config['security']): string {
  const words: Readonly<Record<string, string>> = {
    lower: 'a lower-case letter',
    upper: 'an upper-case letter',
    digit: 'a digit',
    spec: 'a special character',
  }
  const kinds = passwordComplexity.flatMap((kind) => words[kind] ?? [])
  const among = kinds.length === 0 ? '' : `, among them ${kinds.join(', ')}`
  return `At least ${minPasswordLength} characters${among}.`
}
