import type { Config } from '../../config/load-config.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** Returns whether people may create accounts with the form. */
export function mayRegister({ service, mailer }: Pick<Config, 'service' | 'mailer'>): Verdict {
  if (service.disableRegistration) {
    return deny('registration_closed', 'nobody can sign up here: an administrator makes accounts')
  }
  if (service.allowOnlyExternalRegistration) {
    return deny('registration_external_only', 'accounts here come from other places to sign in alone')
  }
  // Without mail, required confirmation closes the form.
  if (service.registerEmailConfirm && !mailer.enabled) {
    return deny(
      'registration_without_mail',
      'nobody can sign up here: addresses must be confirmed, and no mail is sent',
    )
  }
  return allow
}

/** Returns whether pages lead to the form: where it is open and `[service].SHOW_REGISTRATION_BUTTON` is on. */
export const offersSignUp = (config: Pick<Config, 'service' | 'mailer'>): boolean =>
  config.service.showRegistrationButton && mayRegister(config).allowed
