import { viewerOfPassword } from '../../auth/identify.ts'
import { isFreshSession } from '../../auth/session.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { BrowserCtx } from '../shell/browser.requirements.ts'
import { attempt, Field, KnownUser, type Problem } from '../shell/form.tsx'
import { texts } from './texts.tsx'

/**
 * Asks for the password of whoever is signed in. Who has none here, since they come in from elsewhere, shows by having
 * signed in a short time ago that it is they who sit there.
 */
export const PasswordField = ({
  id,
  user,
}: {
  readonly id: string
  readonly user: Pick<UserRow, 'name' | 'password_hash'>
}) =>
  user.password_hash === null ? (
    <p class="hint">{texts.confirmation.recentSignIn}</p>
  ) : (
    <>
      <KnownUser name={user.name} />
      <Field
        id={id}
        name="password"
        label={texts.confirmation.password}
        type="password"
        autocomplete="current-password"
        maxlength={255}
      />
    </>
  )

/**
 * Who left a browser open has not left the account to whoever finds it: undefined when the password is right, and, of an
 * account without one, when the browser was signed in within the last quarter of an hour, or a reverse proxy vouches for it.
 * @param field name of the field that the password was typed into
 */
export async function passwordProblem(
  ctx: BrowserCtx,
  user: UserRow,
  password: string | undefined,
  ip: string,
  field = 'password',
): Promise<Problem | undefined> {
  if (user.password_hash === null) {
    // The proxy was asked just now.
    if (ctx.viewer?.credential.kind === 'proxy') return undefined
    const isFresh = ctx.sessionId !== undefined && (await isFreshSession(ctx, user.id, ctx.sessionId))
    return isFresh ? undefined : { message: texts.confirmation.tooOld }
  }
  const shown = viewerOfPassword(ctx, { login: user.name, password: password ?? '', ip })
  const { result, problem } = await attempt(shown)
  return problem ?? (result?.id === user.id ? undefined : { field, message: texts.confirmation.wrong })
}
