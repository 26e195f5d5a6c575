import type { Config } from '../../config/load-config.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** Whether people may make accounts for themselves by the form. */
export function mayRegister({ service, mailer }: Pick<Config, 'service' | 'mailer'>): Verdict {
  if (service.disableRegistration) return deny('nobody can sign up here: an administrator makes accounts')
  if (service.allowOnlyExternalRegistration) return deny('accounts here come from other places to sign in alone')
  // What the settings ask for is not left out because it cannot be done.
  if (service.registerEmailConfirm && !mailer.enabled) {
    return deny('nobody can sign up here: addresses must be confirmed, and no mail is sent')
  }
  return allow
}
