import { viewerOfPassword } from '../../auth/identify.ts'
import type { Call } from '../../http/operation.ts'
import { Invalid } from '../../lib/errors.ts'
import { attempt } from '../shell/attempt.ts'
import { CurrentPasswordField, KnownUser } from '../shell/password-field.tsx'
import { hasRecentSignIn } from '../shell/recent-sign-in.tsx'
import { usePage } from '../ui/page-context.ts'
import type { PersonCtx } from './settings-frame.tsx'
import { settingsTexts as texts } from '../languages/texts.ts'

/** Asks for the password of the account. An account without one needs a recent sign-in instead. */
export function PasswordField({ id }: { readonly id: string }) {
  const user = usePage().viewer?.user
  if (!user) return null
  return user.password_hash === null ? (
    <p class="hint">{texts.confirmation.recentSignIn}</p>
  ) : (
    <>
      <KnownUser name={user.name} />
      <CurrentPasswordField id={id} label={texts.confirmation.password} />
    </>
  )
}

/**
 * Confirms that the account's owner uses the browser: by the password or, for an account without one, by a recent
 * sign-in or a trusted proxy. Throws `Invalid`.
 * @param field name of the password field
 */
export async function confirmPassword(
  ctx: PersonCtx,
  call: Pick<Call, 'ip'>,
  password: string | undefined,
  field = 'password',
): Promise<void> {
  const { user } = ctx.viewer
  if (user.password_hash === null) {
    if (!hasRecentSignIn(ctx)) throw new Invalid(texts.confirmation.tooOld, 'sign_in_too_old')
    return
  }
  const { result, problem } = await attempt(
    viewerOfPassword(ctx, { login: user.name, password: password ?? '', ip: call.ip }),
  )
  if (problem) throw new Invalid(problem.message, 'password_not_checked')
  if (result?.id !== user.id) throw new Invalid(texts.confirmation.wrong, 'password_unconfirmed', { field })
}
