import type { Feature } from '../access/feature.ts'
import { accountOfPassword, directories } from './ldap/directory.service.ts'
import { syncExternalUsers } from './ldap/sync-external-users.task.ts'
import { providers } from './openid/provider.service.ts'
import { accountOfProxy } from './proxy/proxied-person.service.ts'
import { proxiedInBrowser, proxiedPrograms } from './proxy/proxy.credentials.ts'
import * as sourceRoutes from './source.routes.ts'
import { sourcePurpose } from './source.service.ts'

/** Sign-in sources: OpenID Connect providers, LDAP directories and a reverse proxy. */
export const sources: Feature = {
  routes: [sourceRoutes],
  services: [directories, providers],
  schedules: (config) => [syncExternalUsers(config)],
  sealed: [{ table: 'sign_in_source', column: 'sealed', purpose: sourcePurpose }],
  credentials: [proxiedInBrowser, proxiedPrograms],
  passwordSource: accountOfPassword,
  proxySource: accountOfProxy,
}
