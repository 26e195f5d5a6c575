import type { Feature } from '../access/feature.ts'
import * as applicationRoutes from './applications/application.routes.ts'
import { provideBuiltIns } from './applications/application.service.ts'
import { deleteExpiredTokens } from './delete-expired-tokens.task.ts'
import * as deviceRoutes from './devices/device.routes.ts'
import { deviceLimits } from './devices/device.service.ts'
import * as grantRoutes from './grant.routes.ts'
import { keyMaker, keyPurpose } from './openid/key.service.ts'
import { clients, oauthTokens } from './oauth.credentials.ts'
import * as openidRoutes from './openid/openid.routes.ts'
import * as tokenRoutes from './token.routes.ts'

/** The provider of OAuth2 and OpenID Connect: people sign in to other programs with their account. */
export const oauth: Feature = {
  routes: [applicationRoutes, grantRoutes, tokenRoutes, deviceRoutes, openidRoutes],
  credentials: [oauthTokens, clients],
  services: [keyMaker, deviceLimits],
  schedules: () => [deleteExpiredTokens],
  sealed: [{ table: 'oauth_key', column: 'sealed', purpose: keyPurpose }],
  begin: (services) => provideBuiltIns(services),
}
