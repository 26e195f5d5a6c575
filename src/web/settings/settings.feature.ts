import type { Feature } from '../../access/feature.ts'
import * as account from './account/account.page.tsx'
import * as actions from './belongings/actions.page.tsx'
import * as applications from './applications/applications.page.tsx'
import * as avatar from './profile/avatar.page.ts'
import * as belongings from './belongings/belongings.page.tsx'
import * as blocked from './profile/blocked.page.tsx'
import * as choosePassword from './account/choose-password.routes.tsx'
import * as confirmAddress from './account/confirm-address.routes.tsx'
import * as hooks from './belongings/hooks.page.tsx'
import * as keys from './security/keys.page.tsx'
import * as linkedAccounts from './account/linked-accounts.page.tsx'
import * as application from './applications/oauth-application.page.tsx'
import * as packages from './belongings/packages.page.tsx'
import * as passkey from './security/passkey.page.tsx'
import * as preferences from './profile/preferences.page.tsx'
import * as profile from './profile/profile.page.tsx'
import * as security from './security/security.page.tsx'
import * as sessions from './security/sessions.page.tsx'
import * as twoFactor from './security/two-factor.page.tsx'

/** Pages of the settings of an account. */
export const webSettings: Feature = {
  routes: [
    account,
    actions,
    application,
    applications,
    avatar,
    belongings,
    blocked,
    choosePassword,
    confirmAddress,
    hooks,
    keys,
    linkedAccounts,
    packages,
    passkey,
    preferences,
    profile,
    security,
    sessions,
    twoFactor,
  ],
}
