import type { Feature } from '../../access/feature.ts'
import * as authorizeRoutes from './authorize.routes.tsx'
import * as deviceRoutes from './device.routes.tsx'
import * as passkeyRoutes from './passkey.routes.tsx'
import * as recoveryRoutes from './recovery.routes.tsx'
import * as signInRoutes from './sign-in.routes.tsx'
import * as signUpRoutes from './sign-up.routes.tsx'
import * as sourceSignInRoutes from './source-sign-in.routes.tsx'
import * as twoFactorRoutes from './two-factor.routes.tsx'

/** The pages to sign in, sign up and authorize applications. */
export const webEntry: Feature = {
  routes: [
    authorizeRoutes,
    deviceRoutes,
    passkeyRoutes,
    recoveryRoutes,
    signInRoutes,
    signUpRoutes,
    sourceSignInRoutes,
    twoFactorRoutes,
  ],
}
