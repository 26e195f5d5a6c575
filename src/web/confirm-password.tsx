import { viewerOfPassword } from '../auth/identify.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { BrowserCtx } from './browser.requirements.ts'
import { attempt, Field, KnownUser, type Problem } from './form.tsx'

/** Asks for the password of whoever is signed in. */
export const PasswordField = ({ id, user }: { readonly id: string; readonly user: Pick<UserRow, 'name'> }) => (
  <>
    <KnownUser name={user.name} />
    <Field
      id={id}
      name="password"
      label="Your password"
      type="password"
      autocomplete="current-password"
      maxlength={255}
    />
  </>
)

/**
 * Who left a browser open has not left the account to whoever finds it: undefined when the password is right.
 * @param field name of the field that the password was typed into
 */
export async function passwordProblem(
  ctx: BrowserCtx,
  user: UserRow,
  password: string | undefined,
  ip: string,
  field = 'password',
): Promise<Problem | undefined> {
  const shown = viewerOfPassword(ctx, { login: user.name, password: password ?? '', ip })
  const { result, problem } = await attempt(shown)
  return problem ?? (result?.id === user.id ? undefined : { field, message: 'The password is not right.' })
}
