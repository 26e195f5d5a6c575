import { createContext, type ComponentChildren, type InputHTMLAttributes } from 'preact'
import type { Config } from '../../config/load-config.ts'
import { Refusal } from '../../lib/errors.ts'
import { csrfName, type BrowserCtx } from './browser.requirements.ts'
import { sentenceOf, sitePath } from './page.tsx'
import { texts } from './texts.tsx'

/** What was wrong with a form: with one of its fields, or with all of it. */
export interface Problem {
  /** Name of the field; undefined for the whole form. */
  readonly field?: string | undefined
  readonly message: string
}

/** What came of a form: what was made of it, or why it is shown again. */
export type Outcome<Result> =
  | { readonly result: Result; readonly problem?: undefined }
  | { readonly problem: Problem; readonly result?: undefined }

/**
 * Does what a form asks for. A refusal becomes the problem that the form is shown again with; other errors are thrown on.
 * @param fields which field a refusal is about, by how its code begins
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

/** What is wrong with the form around a field. */
const FormProblem = createContext<Problem | undefined>(undefined)

/** Where the text stands of what is wrong with a whole form; a page shows at most one form that was not taken. */
const wholeId = 'problem'

export interface FieldProps {
  readonly name: string
  readonly label: string
  /** Unlike the name where a page has several forms with such a field. */
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
 * A field with its label, its hint and what is wrong with it, which belong together for those who do not see them together.
 * The first field that is wrong has the focus; what is wrong with the whole form is read out with the field that has it.
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
  // Which attributes go together depends on the type, which the caller chooses.
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

/** Tells password managers whose password a form is about. */
export const KnownUser = ({ name }: { readonly name: string }) => (
  <input type="text" name="user_name" value={name} autocomplete="username" readonly hidden />
)

/**
 * A form that is sent to a path of this site, with the field that shows that it came from here.
 * @param problem why it is shown again: of the whole form it stands first, and of a field it stands there
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
