import type { Feature } from '../access/feature.ts'
import { accountOfPassword, directories } from './ldap/directory.service.ts'
import { syncExternalUsers } from './ldap/sync-external-users.task.ts'
import { providers } from './openid/provider.service.ts'
import * as sourceRoutes from './source.routes.ts'
import { sourcePurpose } from './source.service.ts'

/** Other places where people sign in: providers of OpenID Connect and directories (LDAP). */
export const sources: Feature = {
  routes: [sourceRoutes],
  services: [directories, providers],
  schedules: (config) => [syncExternalUsers(config)],
  sealed: [{ table: 'sign_in_source', column: 'sealed', purpose: sourcePurpose }],
  passwordSource: accountOfPassword,
}
