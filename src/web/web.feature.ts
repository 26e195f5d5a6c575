import type { Feature } from '../access/feature.ts'
import * as accountRoutes from './account.routes.tsx'
import * as apiDocsRoutes from './api-docs.routes.tsx'
import * as assetRoutes from './assets.routes.ts'
import * as authorizeRoutes from './authorize.routes.tsx'
import { sessions } from './browser.credentials.ts'
import * as deviceRoutes from './device.routes.tsx'
import * as linkRoutes from './link.routes.ts'
import * as passkeyRoutes from './passkey.routes.tsx'
import * as recoveryRoutes from './recovery.routes.tsx'
import * as sessionRoutes from './sessions.routes.tsx'
import * as settingsRoutes from './settings.routes.tsx'
import * as signInRoutes from './sign-in.routes.tsx'
import * as sourceRoutes from './source-sign-in.routes.tsx'
import * as linkedRoutes from './linked-accounts.routes.tsx'
import * as signUpRoutes from './sign-up.routes.tsx'
import * as twoFactorRoutes from './two-factor.routes.tsx'
import * as unsubscribeRoutes from './unsubscribe.routes.tsx'

/** Pages. */
export const web: Feature = {
  credentials: [sessions],
  routes: [
    accountRoutes,
    apiDocsRoutes,
    assetRoutes,
    authorizeRoutes,
    deviceRoutes,
    linkRoutes,
    signInRoutes,
    signUpRoutes,
    passkeyRoutes,
    recoveryRoutes,
    sessionRoutes,
    sourceRoutes,
    linkedRoutes,
    settingsRoutes,
    twoFactorRoutes,
    unsubscribeRoutes,
  ],
}
