import type { Feature } from '../../access/feature.ts'
import * as account from './account.page.tsx'
import * as actions from './actions.page.tsx'
import * as applications from './applications.page.tsx'
import * as avatar from './avatar.page.ts'
import * as belongings from './belongings.page.tsx'
import * as blocked from './blocked.page.tsx'
import * as choosePassword from './choose-password.routes.tsx'
import * as confirmAddress from './confirm-address.routes.tsx'
import * as hooks from './hooks.page.tsx'
import * as keys from './keys.page.tsx'
import * as linkedAccounts from './linked-accounts.page.tsx'
import * as application from './oauth-application.page.tsx'
import * as packages from './packages.page.tsx'
import * as passkey from './passkey.page.tsx'
import * as preferences from './preferences.page.tsx'
import * as profile from './profile.page.tsx'
import * as security from './security.page.tsx'
import * as sessions from './sessions.page.tsx'
import * as twoFactor from './two-factor.page.tsx'

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
