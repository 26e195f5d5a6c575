import { viewerOfPassword } from '../../auth/identify.ts'
import { isFreshSession } from '../../auth/session.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { attempt, Field, KnownUser, type Problem } from '../shell/plain-form.tsx'
import { texts } from './texts.tsx'

/** Asks for the password of the account. An account without one needs a recent sign-in instead. */
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
 * Confirms that the account's owner uses the browser. Returns undefined when the password is right or, for an account
 * without one, after a recent sign-in or with a trusted proxy.
 * @param field name of the password field
 */
export async function passwordProblem(
  ctx: BrowserCtx,
  user: UserRow,
  password: string | undefined,
  ip: string,
  field = 'password',
): Promise<Problem | undefined> {
  if (user.password_hash === null) {
    // The proxy authenticated this request.
    if (ctx.viewer?.credential.kind === 'proxy') return undefined
    const isFresh = ctx.sessionId !== undefined && (await isFreshSession(ctx, user.id, ctx.sessionId))
    return isFresh ? undefined : { message: texts.confirmation.tooOld }
  }
  const shown = viewerOfPassword(ctx, { login: user.name, password: password ?? '', ip })
  const { result, problem } = await attempt(shown)
  return problem ?? (result?.id === user.id ? undefined : { field, message: texts.confirmation.wrong })
}
