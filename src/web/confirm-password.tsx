import { viewerOfPassword } from '../auth/identify.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { TooManyRequests } from '../lib/errors.ts'
import type { BrowserCtx } from './browser.requirements.ts'
import { Field, problemOf, type Problem } from './form.tsx'

/** Asks for the password of whoever is signed in. */
export const PasswordField = ({ id, problem }: { readonly id: string; readonly problem: Problem | undefined }) => (
  <Field
    id={id}
    name="password"
    label="Your password"
    type="password"
    autocomplete="current-password"
    maxlength={255}
    problem={problem}
  />
)

/** Who left a browser open has not left the account to whoever finds it: undefined when the password is right. */
export async function passwordProblem(
  ctx: BrowserCtx,
  user: UserRow,
  password: string | undefined,
  ip: string,
): Promise<Problem | undefined> {
  const shown = await viewerOfPassword(ctx, { login: user.name, password: password ?? '', ip }).catch(
    (error: unknown) => {
      if (error instanceof TooManyRequests) return problemOf(error)
      throw error
    },
  )
  if (shown && 'message' in shown) return shown
  return shown?.id === user.id ? undefined : { field: 'password', message: 'The password is not right.' }
}
