import { createContext, type ComponentChildren, type InputHTMLAttributes } from 'preact'
import type { Config } from '../../config/load-config.ts'
import { Refusal } from '../../lib/errors.ts'
import { csrfName } from '../ui/page-context.ts'
import type { BrowserCtx } from './browser-context.ts'
import { sitePath } from './plain-page.tsx'
import { sentenceOf } from './sentence.ts'
import { texts } from './plain-texts.tsx'

/** A problem with a form or one of its fields. */
export interface Problem {
  /** Name of the field; undefined for the whole form. */
  readonly field?: string | undefined
  readonly message: string
}

/** The result of a form, or the problem to show. */
export type Outcome<Result> =
  | { readonly result: Result; readonly problem?: undefined }
  | { readonly problem: Problem; readonly result?: undefined }

/**
 * Runs the work of a form. A refusal becomes a problem of the form; other errors are thrown.
 * @param fields maps prefixes of refusal codes to fields
 */
export async function attempt<Result>(
  work: Promise<Result>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Outcome<Result>> {
  try {
    return { result: await work }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const field = Object.entries(fields).find(([code]) => error.code.startsWith(code))?.[1]
    return { problem: { field, message: sentenceOf(error.message) } }
  }
}

/** The problem of the surrounding form. */
const FormProblem = createContext<Problem | undefined>(undefined)

/** Id of the message about a whole form; a page shows at most one refused form. */
const wholeId = 'problem'

export interface FieldProps {
  readonly name: string
  readonly label: string
  /** Differs from the name when several forms of a page have such a field. */
  readonly id?: string
  readonly type?: 'text' | 'password' | 'email'
  readonly value?: string | undefined
  readonly hint?: ComponentChildren
  readonly autocomplete?: string
  readonly inputmode?: 'numeric' | 'text' | 'email'
  readonly maxlength?: number
  readonly minlength?: number
  readonly required?: boolean
  readonly autofocus?: boolean
}

/**
 * A field with its label, hint and problem, linked for screen readers. The first wrong field has the focus; a problem
 * of the whole form is announced with the focused field.
 */
export const Field = (props: FieldProps) => (
  <FormProblem.Consumer>{(problem) => <FieldOf {...props} problem={problem} />}</FormProblem.Consumer>
)

function FieldOf({
  name,
  label,
  id = name,
  hint,
  problem,
  required = true,
  autofocus = false,
  ...rest
}: FieldProps & { readonly problem: Problem | undefined }) {
  const isWrong = problem?.field === name
  const isWholeWrong = problem !== undefined && problem.field === undefined
  const told = [
    ...(isWholeWrong && autofocus ? [wholeId] : []),
    ...(hint === undefined ? [] : [`${id}_hint`]),
    ...(isWrong ? [`${id}_problem`] : []),
  ]
  const isWord = rest.type !== 'password' && rest.inputmode !== 'numeric'
  // The valid attributes depend on the type, which the caller chooses.
  const attributes = {
    ...rest,
    id,
    name,
    required,
    autofocus: isWrong || (autofocus && problem?.field === undefined),
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

/** Tells password managers which account a form is about. */
export const KnownUser = ({ name }: { readonly name: string }) => (
  <input type="text" name="user_name" value={name} autocomplete="username" readonly hidden />
)

/**
 * A form to a path of this site, protected against cross-site request forgery.
 * @param problem shown above the form, or at its field
 */
export const Form = ({
  ctx,
  to,
  hidden = {},
  problem,
  children,
  ...rest
}: {
  readonly ctx: Pick<BrowserCtx, 'config' | 'csrf'>
  readonly to: string
  readonly hidden?: Readonly<Record<string, string | number | undefined>>
  readonly problem?: Problem | undefined
  readonly children: ComponentChildren
} & Readonly<Record<`data-${string}`, string | number | undefined>>) => (
  <form method="post" action={sitePath(ctx.config, to)} {...rest}>
    <input type="hidden" name={csrfName} value={ctx.csrf} />
    {Object.entries(hidden).map(([name, value]) =>
      value === undefined ? null : <input type="hidden" name={name} value={value} />,
    )}
    {problem !== undefined && problem.field === undefined ? (
      <p class="problem" role="alert" id={wholeId}>
        {problem.message}
      </p>
    ) : null}
    <FormProblem.Provider value={problem}>{children}</FormProblem.Provider>
  </form>
)

/** Returns the rules for a new password as a hint below its field. */
export function passwordHint({ minPasswordLength, passwordComplexity }: Config['security']): string {
  const characters = passwordComplexity.flatMap((kind) => texts.passwordCharacters[kind] ?? [])
  return texts.passwordHint(minPasswordLength, characters)
}
