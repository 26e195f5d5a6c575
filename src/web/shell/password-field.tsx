import type { Config } from '../../config/load-config.ts'
import { Field } from '../ui/field.tsx'
import { usePage } from '../ui/page-context.ts'
import { shellTexts } from '../languages/texts.ts'

const texts = shellTexts.password

/** Longest password that a form accepts, in characters. */
const maxPassword = 255

/** Tells password managers which account a form is about. */
export const KnownUser = ({ name, field = 'user_name' }: { readonly name: string; readonly field?: string }) => (
  <input type="text" name={field} value={name} autocomplete="username" readonly hidden />
)

/** Returns the rules for a new password as a hint below its field. */
function passwordHint({ minPasswordLength, passwordComplexity }: Config['security']): string {
  const characters = passwordComplexity.flatMap((kind) => texts.characters[kind] ?? [])
  return texts.hint(minPasswordLength, characters)
}

/** A field for a password to set, with its rules. */
export const NewPasswordField = ({
  label = texts.newPassword,
  autofocus = false,
}: {
  readonly label?: string
  readonly autofocus?: boolean
}) => (
  <Field
    name="password"
    label={label}
    type="password"
    autocomplete="new-password"
    maxlength={maxPassword}
    hint={passwordHint(usePage().config.security)}
    required
    autofocus={autofocus}
  />
)

/** A field for a password that the account has. */
export const CurrentPasswordField = ({
  name = 'password',
  label = texts.password,
  id,
  autofocus = false,
}: {
  readonly name?: string
  readonly label?: string
  readonly id?: string
  readonly autofocus?: boolean
}) => (
  <Field
    name={name}
    label={label}
    id={id ?? name}
    type="password"
    autocomplete="current-password"
    maxlength={maxPassword}
    required
    autofocus={autofocus}
  />
)
